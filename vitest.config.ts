import { defineConfig } from 'vitest/config'
import { tallyReporter } from './house/tally-reporter.ts'

const exclude = ['**/node_modules/**', '**/dist/**', 'data/**']
const setupFiles = ['./house/no-network.ts', './house/no-leaks.ts']

export default defineConfig({
  test: {
    // A process a file: what a file leaves behind cannot reach the next.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // What is waited for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    reporters: ['default', tallyReporter],
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: ['{server,consumer,examples,e2e,bench}/**/*.test.ts'],
          exclude,
          setupFiles,
          // One PostgreSQL for the run; a test file copies its migrated template.
          globalSetup: ['./server/src/testing/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          // These need no database, so that they run at once.
          name: 'house',
          include: ['{house,contract,sdk,console}/**/*.test.ts', '*.test.ts'],
          exclude,
          setupFiles,
        },
      },
    ],
  },
})
