import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Two files at a time, each with its own servers and browser, keep two cores busy.
  // Playwright's timeout is shorter than the test's, so that a failure names the step. Both are long because CI may be slow.
  test: {
    include: ['e2e/**/*.test.ts'],
    environment: 'node',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    bail: 0,
    expect: { poll: { timeout: 90_000 } },
  },
})
