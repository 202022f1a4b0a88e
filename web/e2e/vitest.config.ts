import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Playwright's own time limit is shorter than the test's, so that a failure names the step.
  test: { include: ['e2e/**/*.test.ts'], environment: 'node', fileParallelism: false, testTimeout: 60_000, hookTimeout: 120_000, bail: 0 },
})
