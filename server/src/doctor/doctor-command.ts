import type { Database } from '../foundation/database/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import { describeUnknownTenant, findTenantBySlug } from '../tenancy/index.ts'
import { readAskedHost, readSite, siteProblem } from './addresses.ts'
import { type AskedSignIn, examineSilentSignIn } from './examine-silent-sign-in.ts'
import { liveCheckAddress } from './live-check-ticket.ts'
import { printReport } from './print-report.ts'
import { toReportDocument } from './report-document.ts'

export const doctorUsage = `usher doctor silent --tenant <slug> --client <client_id> --site <address> [--host <host>] [--json]
                                    says whether silent sign-in can work on a site, and what to change; --host is
                                    where the site asks. Exit code 0: it works, 1: it does not`

export interface DoctorSurroundings {
  db: Database
  secrets: Secrets
  /** The platform's address. */
  publicUrl: URL
  now: Date
  /** Prints a line for programs and people. */
  print(line: string): void
  /** Prints a line that says what went wrong. */
  complain(line: string): void
}

interface Asked extends AskedSignIn {
  slug: string
  json: boolean
}

const NAMES = ['--tenant', '--client', '--site', '--host']

/** The options of a command line; undefined when one is unknown, there twice, or without its value. */
function readOptions(args: readonly string[]): Map<string, string> | undefined {
  const options = new Map<string, string>()
  for (let at = 0; at < args.length; at++) {
    // Also as --site=https://…, which is what other programs take.
    const [name = '', ...joined] = (args[at] ?? '').split('=')
    const isFlag = name === '--json' && joined.length === 0
    if (options.has(name) || !(isFlag || NAMES.includes(name))) return undefined
    const value = isFlag ? '' : joined.length > 0 ? joined.join('=') : args[++at]
    if (value === undefined || (!isFlag && (value === '' || value.startsWith('--')))) return undefined
    options.set(name, value)
  }
  return options
}

/** What a command line asks for; a sentence where a value of it is wrong, undefined where it is another command's or
 *  cannot be understood. */
function readAsked(args: readonly string[]): Asked | string | undefined {
  const [command, subject, ...rest] = args
  if (command !== 'doctor' || subject !== 'silent') return undefined
  const options = readOptions(rest)
  const [slug, clientId, written] = ['--tenant', '--client', '--site'].map(name => options?.get(name))
  if (!options || slug === undefined || clientId === undefined || written === undefined) return undefined
  const site = readSite(written)
  if (!site) return `--site ${siteProblem(written)}`
  const asked = options.get('--host')
  const host = asked === undefined ? undefined : readAskedHost(asked)
  if (asked !== undefined && !host)
    return '--host must be a host, such as members.example.com, or an address.'
  return { slug, clientId, site, host, json: options.has('--json') }
}

async function silentCommand(asked: Asked, around: DoctorSurroundings): Promise<number> {
  const { db, print, complain } = around
  const tenant = await findTenantBySlug(db, asked.slug)
  if (!tenant) {
    complain(await describeUnknownTenant(db, asked.slug))
    return 1
  }
  const report = await examineSilentSignIn(around, tenant, asked)
  const liveCheck = liveCheckAddress({ ...around, nowMs: around.now.getTime() }, tenant, asked)
  if (asked.json) print(JSON.stringify(toReportDocument(report, liveCheck), undefined, 2))
  else for (const line of printReport(report, liveCheck)) print(line)
  return report.works ? 0 : 1
}

/** The command of `doctorUsage` that a command line, without `usher`, asks for: a sentence where a value of it is wrong,
 *  undefined when it is none. */
export function readDoctorCommand(
  args: readonly string[],
): ((around: DoctorSurroundings) => Promise<number>) | string | undefined {
  const asked = readAsked(args)
  return asked === undefined || typeof asked === 'string' ? asked : around => silentCommand(asked, around)
}
