import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Two files at a time, each with servers and a browser of its own, keep two processors busy.
  // Playwright's own time limit is shorter than the test's, so that a failure names the step. All are long: a slow machine is no fault.
  test: {
    include: ['e2e/**/*.test.ts'],
    environment: 'node',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    bail: 0,
    expect: { poll: { timeout: 30_000 } },
  },
})
