import type { Reporter, TestModule } from 'vitest/node'

/** Counts the tests. A file that fails without a failing test (it does not load, a hook of it throws) and an
 *  error outside of any test count as one failed each, so that the line never looks better than the run. */
function tally(
  modules: readonly TestModule[],
  unhandled: number,
): { passed: number; failed: number; skipped: number } {
  const counts = { passed: 0, failed: unhandled, skipped: 0 }
  for (const module of modules) {
    let failedTests = 0
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') counts.passed++
      else if (state === 'failed') failedTests++
      else counts.skipped++
    }
    counts.failed += failedTests === 0 && module.state() === 'failed' ? 1 : failedTests
  }
  return counts
}

/** Ends the output of a run with one plain line, for people and programs. */
export const tallyReporter: Reporter = {
  onTestRunEnd(modules, unhandled) {
    const { passed, failed, skipped } = tally(modules, unhandled.length)
    process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
  },
}
