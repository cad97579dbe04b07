import { type Configuration, fetchProtectedResource, type ServerMetadata } from 'openid-client'
import type { ProviderAccount } from './identity.ts'
import { ProviderFault } from './provider-fault.ts'

/** What GitHub has in place of a discovery document; an Enterprise Server has the same below its own host. */
export const githubMetadata = (issuer: string): ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/access_token`,
})

const apiBase = (issuer: string): string => {
  const { origin } = new URL(issuer)
  return origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`
}

/** GitHub's token endpoint says what is wrong with status 200. RFC 6749 5.2 has 400, and so the library understands. */
export async function withErrorStatus(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer
  const body = await answer.text()
  const isError = /^\s*\{/.test(body) && /"error"\s*:/.test(body)
  return new Response(body, { status: isError ? 400 : 200, headers: answer.headers })
}

async function get(config: Configuration, token: string, url: string): Promise<unknown> {
  const headers = new Headers({ accept: 'application/vnd.github+json' })
  const answer = await fetchProtectedResource(config, token, new URL(url), 'GET', null, headers)
  if (answer.status !== 200) {
    const kind = answer.status >= 500 ? 'away' : 'faulty'
    throw new ProviderFault(kind, `${new URL(url).pathname} was answered with ${answer.status}.`)
  }
  try {
    return await answer.json()
  } catch {
    throw new ProviderFault('faulty', `${new URL(url).pathname} was not answered in JSON.`)
  }
}

/** The address that counts: the primary one, if GitHub has verified it. */
function primaryAddress(emails: unknown): string | null {
  if (!Array.isArray(emails)) return null
  const primary = emails.find(one => one?.primary === true && one.verified === true)
  return typeof primary?.email === 'string' ? primary.email : null
}

/** Who a token is for, by GitHub's own endpoints. */
export async function askGithub(
  config: Configuration,
  token: string,
  issuer: string,
): Promise<ProviderAccount> {
  const base = apiBase(issuer)
  const user = (await get(config, token, `${base}/user`)) as {
    id?: unknown
    login?: unknown
    name?: unknown
  } | null
  if (typeof user !== 'object' || !Number.isSafeInteger(user?.id))
    throw new ProviderFault('faulty', 'The user had no id.')
  const verifiedEmail = primaryAddress(await get(config, token, `${base}/user/emails`))
  const subject = String(user?.id)
  // A login can be given up and taken by somebody else; the id cannot.
  return {
    issuer,
    subject,
    verifiedEmail,
    label: verifiedEmail ?? String(user?.login ?? subject),
    name: typeof user?.name === 'string' ? user.name : null,
  }
}
