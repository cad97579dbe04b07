import type { IncomingMessage, ServerResponse } from 'node:http'
import { createVisits } from '../visits.ts'
import type { Member, MemberTokens } from './member-tokens.ts'

const MAX_BODY_BYTES = 1_024

/** `/session`: who reads, in a session of the site's own. GET says, POST with a code of silent sign-in begins one, DELETE
 *  ends it. It lives as long as the token behind it, which the tenant is asked about each time. */
export function createReaderSession(tokens: MemberTokens) {
  const visits = createVisits<{ token?: string }>({ cookieName: 'reader', secure: false })

  async function begin(request: IncomingMessage, response: ServerResponse): Promise<Member | undefined> {
    const token = await tokens.exchange(await readCode(request))
    const member = token && (await tokens.findMember(token))
    if (!token || !member) return undefined
    response.setHeader('set-cookie', visits.replace(request.headers.cookie, { token }))
    return member
  }

  async function find({ headers: { cookie } }: IncomingMessage): Promise<Member | undefined> {
    const visit = visits.find(cookie)
    const member = visit?.token && (await tokens.findMember(visit.token))
    if (visit && !member) delete visit.token
    return member || undefined
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, headers } = request
    const answer = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(body))
    // A page of somebody else's could sign a reader in as somebody else.
    if (method !== 'GET' && URL.parse(headers.origin ?? '')?.host !== headers.host)
      return void answer(403, { message: 'Only the pages of this site may do this.' })
    try {
      const member = await (method === 'POST' ? begin(request, response) : find(request))
      if (method !== 'DELETE') return void answer(200, { member: member ? nameOf(member) : null })
      response.setHeader('set-cookie', visits.replace(headers.cookie, {}))
      answer(200, { member: null })
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      answer(502, { message: 'The sign-in of this site does not answer. Please try again in a moment.' })
    }
  }
}

/** All that a page needs to know. */
const nameOf = ({ name, email }: Member) => ({ name: name ?? email })

async function readCode(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > MAX_BODY_BYTES) break
  }
  try {
    return String(JSON.parse(text).code)
  } catch {
    return ''
  }
}
