/** Of what npm runs, the command alone: not one that its shell is to leave in the background. */
const ownScript = /^'?(?:\S*\/)?usher-consume(?:'?\s[^&]*|'?)$/
const everyMs = 500

/**
 * Calls `onGone` once when npx, or a script of npm's that is this command, has ended: a SIGTERM ends npm and its shell, and they
 * do not pass it on. Whoever starts the command otherwise may end before it.
 */
export function watchParent(self: Pick<NodeJS.Process, 'env' | 'ppid'>, onGone: () => void): void {
  if (!ownScript.test(self.env.npm_lifecycle_script ?? '')) return
  const parent = self.ppid
  const timer = setInterval(() => {
    if (self.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, everyMs)
  timer.unref()
}
