import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Two files at a time, each with servers and a browser of its own, keep two processors busy.
  // Playwright's own time limit is shorter than the test's, so that a failure names the step.
  test: { include: ['e2e/**/*.test.ts'], environment: 'node', maxWorkers: 2, testTimeout: 60_000, hookTimeout: 120_000, bail: 0, expect: { poll: { timeout: 15_000 } } },
})
