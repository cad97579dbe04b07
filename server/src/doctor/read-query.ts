import { ApiError, invalid, isReservedParameter } from '../foundation/http/index.ts'
import { type AskedHost, readAskedHost, readSite, type SiteAddress, siteProblem } from './addresses.ts'

const malformed = (parameter: string, message: string) =>
  new ApiError(400, message, { errors: { [parameter]: [message] } })

/** What a query asks the doctor. Throws 422 for a site or a host that is none, with a message per field; 400 for one
 *  that is there twice, and for what JSON:API reserves and this route lacks (decisions, "Answers"). */
export function readDoctorQuery(query: URLSearchParams): { site: SiteAddress; host: AskedHost | undefined } {
  for (const name of query.keys())
    if (isReservedParameter(name)) throw malformed(name, `${name} is not supported here. site and host are.`)
  for (const name of ['site', 'host'])
    if (query.getAll(name).length > 1) throw malformed(name, `Send ${name} once.`)
  const [written, asked] = [query.get('site'), query.get('host')]
  const site = written === null ? undefined : readSite(written)
  const host = asked === null ? undefined : readAskedHost(asked)
  const errors = {
    ...(written === null && { site: ['site is missing: it must be the address of a site.'] }),
    ...(written !== null && !site && { site: [`site ${siteProblem(written)}`] }),
    ...(asked !== null &&
      !host && { host: ['host must be a host, such as members.example.com, or an address.'] }),
  }
  if (!site || Object.keys(errors).length > 0) throw invalid(errors)
  return { site, host }
}
