import { setTimeout as sleep } from 'node:timers/promises'
import '../../examples/localhost-names.mjs'

export interface Letter {
  link: string
  code: string
}

interface MailInBox {
  to: string
  text: string
}

/** The newest letter to an address in the mailbox of development, once there are `count`. Throws after 20 seconds. */
export async function waitForLetter(platformPort: number, email: string, count = 1): Promise<Letter> {
  const untilMs = Date.now() + 20_000
  for (;;) {
    const response = await fetch(`http://platform.localhost:${platformPort}/dev/mailbox.json`, {
      signal: AbortSignal.timeout(20_000),
    })
    const { data } = (await response.json()) as { data: MailInBox[] }
    const mails = data.filter(({ to }) => to.includes(email))
    const lines = mails[0]?.text.split('\n') ?? []
    const link = lines.find(line => /^https?:/.test(line))
    const code = lines.find(line => /^\d{6}$/.test(line))
    if (mails.length >= count && link && code) return { link, code }
    if (Date.now() > untilMs) throw new Error(`There are ${mails.length} letters to ${email}, not ${count}.`)
    await sleep(50)
  }
}
