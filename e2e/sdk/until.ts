import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until `holds` says so; throws with `what` should have come after `withinMs`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const untilMs = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > untilMs) throw new Error(`Not within ${withinMs} ms: ${what}.`)
    await sleep(100)
  }
}
