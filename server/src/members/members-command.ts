import type { Database } from '../foundation/database/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import { type Actor, describeUnknownTenant, findTenantBySlug } from '../tenancy/index.ts'
import { rotateSigningKeys } from './signing-keys/rotate-signing-keys.ts'

export const membersUsage =
  'usher rotate-keys --tenant <slug>   lets a new key sign the tokens of a tenant from tomorrow on; nobody is signed out'

export interface MembersSurroundings {
  db: Database
  secrets: Secrets
  /** Who runs the command, for the audit trail. */
  actor: Actor
  now: Date
  /** Prints a line for programs and people. */
  print(line: string): void
  /** Prints a line that says what went wrong. */
  complain(line: string): void
}

async function rotateCommand(slug: string, around: MembersSurroundings): Promise<number> {
  const { now, print, complain } = around
  const tenant = await findTenantBySlug(around.db, slug)
  if (!tenant) {
    complain(await describeUnknownTenant(around.db, slug))
    return 1
  }
  for (const key of await rotateSigningKeys({ ...around, tenantId: tenant.id, force: true })) {
    const until = key.signsUntil === null ? '' : ` until ${key.signsUntil.toISOString()}`
    const begun = key.signsFrom > now ? 'will sign' : 'signs'
    const state = key.signsUntil !== null && key.signsUntil <= now ? 'signed' : begun
    print(`key ${key.kid}  ${state} from ${key.signsFrom.toISOString()}${until}`)
  }
  return 0
}

/** The command of `membersUsage` that a command line, without `usher`, asks for; undefined when it is none of them. */
export function readMembersCommand(
  args: readonly string[],
): ((around: MembersSurroundings) => Promise<number>) | undefined {
  const [command, option, slug, ...rest] = args
  if (command !== 'rotate-keys' || option !== '--tenant' || slug === undefined || rest.length > 0)
    return undefined
  return around => rotateCommand(slug, around)
}
