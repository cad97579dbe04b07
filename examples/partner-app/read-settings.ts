import { readDemo } from '../read-demo.ts'

export interface Settings {
  /** The publisher's address, whose discovery document says all others. */
  issuer: URL
  clientId: string
  clientSecret: string
  /** As it is registered, to the letter. */
  redirectUri: URL
  /** Where to listen. */
  port: number
  /** What the publisher is called on the pages. */
  publisher: string
  /** How long it holds that a member is still signed in at the publisher's, before the browser is sent to ask. */
  lookAgainS: number
  /** What is asked for; with `openid` in it, the publisher answers by OpenID Connect. */
  scope: readonly string[]
}

/** Reads the environment, and where it names no client, what the demo's is. Throws an error that says what to set, with
 *  every problem in a line. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const demo = env.CLIENT_ID === undefined ? readDemo(env) : undefined
  const client = demo?.client
  const problems: string[] = []
  const read = (name: string, unless?: string): string => {
    const value = env[name] ?? unless
    if (!value) problems.push(`Set ${name}, or start the platform here first, which makes a client to try.`)
    return value ?? ''
  }
  const readUrl = (name: string, unless?: string): URL => {
    const text = read(name, unless)
    const url = URL.parse(text)
    if (url && /^https?:$/.test(url.protocol)) return url
    if (text) problems.push(`${name} must be an http or https address.`)
    return new URL('http://127.0.0.1')
  }
  const issuer = readUrl('ISSUER', demo && `http://${demo.domain}:${env.USHER_PORT ?? 3000}`)
  const clientId = read('CLIENT_ID', client?.id)
  const clientSecret = read('CLIENT_SECRET', client?.secret)
  const redirectUri = readUrl('REDIRECT_URI', client?.redirectUri)
  const port = Number(env.PARTNER_PORT ?? (redirectUri.port || 80))
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    problems.push('PARTNER_PORT must be a port number.')
  const lookAgainS = Number(env.LOOK_AGAIN_S ?? 10)
  if (!(lookAgainS >= 0)) problems.push('LOOK_AGAIN_S must be a number of seconds.')
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const publisher = env.PUBLISHER ?? demo?.name ?? issuer.hostname
  const scope = env.SCOPE?.split(' ').filter(Boolean) ?? []
  return { issuer, clientId, clientSecret, redirectUri, port, publisher, lookAgainS, scope }
}
