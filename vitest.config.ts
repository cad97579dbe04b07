import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { tallyReporter } from './house/tally-reporter.ts'

// Test files and the programs that they start are processes of their own: what Node compiled once, it need not compile in
// each of them. A start takes half the processor time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

const exclude = ['**/node_modules/**', '**/dist/**', 'data/**']
const setupFiles = ['./house/no-network.ts', './house/no-leaks.ts']

export default defineConfig({
  test: {
    // A process a file: what a file leaves behind cannot reach the next.
    pool: 'forks',
    // On two cores, as the longest files wait for browsers and for deadlines a third of the time.
    maxWorkers: 3,
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
