import { ApiError, isReservedParameter } from '../foundation/http/index.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whose sessions are asked for. */
export type SessionFilter = { memberId: string } | { email: string }

const malformed = (parameter: string, message: string) =>
  new ApiError(400, message, { errors: { [parameter]: [message] } })

/** The member that a query names, by id or mail address. Throws 400 unless it is one, once, and for what JSON:API
 *  reserves and this route lacks (decisions, "Answers"). */
export function readSessionFilter(query: URLSearchParams): SessionFilter {
  const named: SessionFilter[] = []
  for (const [name, value] of query) {
    if (name === 'filter[member]') {
      if (!uuid.test(value)) throw malformed(name, 'filter[member] must be a UUID.')
      named.push({ memberId: value.toLowerCase() })
    } else if (name === 'filter[email]') {
      if (value.length > 254 || !/^[^\0\s@]+@[^\0\s@]+$/.test(value) || !value.isWellFormed())
        throw malformed(name, 'filter[email] must be a mail address.')
      named.push({ email: value })
    } else if (isReservedParameter(name))
      throw malformed(name, `${name} is not supported here. filter[member] and filter[email] are.`)
  }
  const [filter] = named
  if (!filter || named.length > 1)
    throw malformed('filter[member]', 'Name one member, by filter[member] or by filter[email].')
  return filter
}
