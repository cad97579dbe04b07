import { parseArgs } from 'node:util'

export const usage = `usher-consume --url https://members.example --key usher_org_… [--follow] [--out events.ndjson]

Reads the queue and removes what it has written: one event a line, as JSON.

  --url       the platform's address or the tenant's domain; or USHER_URL
  --key       an API key that may read and delete events; better in USHER_KEY, as others on the machine see arguments
  --follow    wait for more when the queue is empty, until Ctrl-C or SIGTERM
  --out       a file to add to, on the disk before anything is removed; a restart goes on where it stood. Without it the
              events go to the standard output, and are removed when that has taken them
  --queue     events (unless set) or heartbeats
  --limit     most events of a batch, 1 to 10000 (unless set)
  --quiet     no progress on the standard error
  --help      this text`

export interface CommandOptions {
  url: string
  key: string
  follow: boolean
  out: string | undefined
  queue: 'events' | 'heartbeats'
  limit: number
  isQuiet: boolean
}

/** The command line and the environment as options; undefined when help is wanted. Throws an Error that says what is wrong. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): CommandOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string' },
      key: { type: 'string' },
      follow: { type: 'boolean', default: false },
      out: { type: 'string' },
      queue: { type: 'string', default: 'events' },
      limit: { type: 'string', default: '10000' },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  const { out, queue, limit } = values
  const url = values.url ?? env.USHER_URL
  const key = values.key ?? env.USHER_KEY
  const problems: string[] = []
  if (!url)
    problems.push('--url or USHER_URL must be set to the address of the platform or the tenant’s domain')
  if (!key) problems.push('--key or USHER_KEY must be set to an API key that may read and delete events')
  if (out === '') problems.push('--out must name a file')
  if (queue !== 'events' && queue !== 'heartbeats') problems.push('--queue must be events or heartbeats')
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > 10_000)
    problems.push('--limit must be a number from 1 to 10000')
  if (problems.length > 0 || !url || !key || (queue !== 'events' && queue !== 'heartbeats'))
    throw new Error(problems.join('\n'))
  return { url, key, follow: values.follow, out, queue, limit: Number(limit), isQuiet: values.quiet }
}
