import { toIso } from '../../foundation/time.ts'
import { uuidv7 } from '../../foundation/uuid.ts'
import { abilities as allAbilities } from '../credential.ts'
import { hashToken, makeToken } from '../key-token.ts'
import {
  findTokenOwner,
  insertKey,
  listKeys,
  type StoredKey,
  updateKey,
  updateRevoked,
} from '../keys.store.ts'
import { listOperators, listTenantStaff } from '../staff.store.ts'
import { type Application, recordChange, refuse, type TenantName } from './changes.ts'
import type { KeyDeclaration } from './key-declarations.ts'
import { type Path, showPath } from './problems.ts'
import type { PlatformFile } from './schema.ts'
import type { TenantDeclaration } from './tenant-declaration.ts'

/** A declared key and its place in the file. */
interface DeclaredKey {
  declared: KeyDeclaration
  path: Path
  /** What the file calls the key's owner. */
  userField: 'user' | 'operator'
}

type KeyTerms = Pick<StoredKey, 'userId' | 'abilities' | 'expiresAt'>

const describeTerms = ({ userId, abilities, expiresAt }: KeyTerms) => ({
  user_id: userId,
  abilities,
  expires_at: expiresAt && toIso(expiresAt),
})

/** Who the keys of a tenant, or with `null` of the platform, can belong to, and do unless the file says. */
async function findOwners({ trx }: Application, tenant: TenantName | null) {
  const operators = await listOperators(trx)
  if (!tenant) return { people: operators, first: operators[0] }
  const staff = await listTenantStaff(trx, tenant.id)
  return { people: [...staff, ...operators], first: staff.find(({ role }) => role === 'administrator') }
}

/** What a key is to be; undefined when the file was refused. What the file does not name stays. */
function termsOf(
  application: Application,
  { people, first }: Awaited<ReturnType<typeof findOwners>>,
  { declared, path, userField }: DeclaredKey,
  live: StoredKey | undefined,
): KeyTerms | undefined {
  const email = declared.user?.toLowerCase()
  const named = people.find(person => person.email === email)
  const userId = email === undefined ? (live?.userId ?? first?.id) : named?.id
  if (userId === undefined) {
    const whom = userField === 'operator' ? 'an operator' : "of the tenant's staff or an operator"
    if (email !== undefined) refuse(application, [...path, userField], `must be ${whom}; ${email} is not`)
    else refuse(application, path, `needs the field ${userField}: there is nobody it could belong to`)
    return undefined
  }
  return {
    userId,
    abilities: declared.abilities
      ? allAbilities.filter(ability => declared.abilities?.includes(ability))
      : (live?.abilities ?? allAbilities),
    expiresAt: declared.expires_at ? new Date(declared.expires_at) : (live?.expiresAt ?? null),
  }
}

/** Whether a declared token can be this key's. One that was revoked stays so. */
async function acceptToken(
  application: Application,
  tenant: TenantName | null,
  { declared, path }: DeclaredKey,
): Promise<boolean> {
  if (declared.token === undefined) return true
  const owner = await findTokenOwner(application.trx, Buffer.from(hashToken(declared.token), 'base64url'))
  if (!owner) return true
  const own = owner.slug === (tenant?.slug ?? null) && owner.name === declared.name
  if (!own) refuse(application, [...path, 'token'], 'is the token of another key')
  else if (owner.revoked)
    application.result.notices.push(
      `${showPath(path)} stays as it is: its token was revoked. Give it another one.`,
    )
  return own && !owner.revoked
}

async function applyKey(
  application: Application,
  tenant: TenantName | null,
  { declared: { name, token } }: DeclaredKey,
  terms: KeyTerms,
  live: StoredKey | undefined,
): Promise<void> {
  const { trx, now, result } = application
  const tenantId = tenant?.id ?? null
  if (live && (token === undefined || hashToken(token) === live.tokenHash.toString('base64url'))) {
    const [from, to] = [describeTerms(live), describeTerms(terms)]
    if (JSON.stringify(from) === JSON.stringify(to)) return
    await updateKey(trx, tenantId, live.id, terms)
    await recordChange(application, tenant, {
      action: 'key.changed',
      target: name,
      details: { key_id: live.id, from, to },
      text: `key ${name} changed`,
    })
    return
  }
  const given = token ?? makeToken(tenant ? 'organization' : 'platform')
  const id = uuidv7()
  if (live) await updateRevoked(trx, tenantId, live.id, now)
  const tokenHash = Buffer.from(hashToken(given), 'base64url')
  await insertKey(trx, tenantId, { id, name, tokenHash, ...terms, createdAt: now })
  await recordChange(application, tenant, {
    action: live ? 'key.replaced' : 'key.created',
    target: name,
    details: { key_id: id, ...(live && { revoked_key_id: live.id }), ...describeTerms(terms) },
    text: live ? `key ${name} has another token` : `key ${name} added`,
  })
  if (token === undefined)
    result.madeKeys.push({ name, ...(tenant && { tenant: tenant.slug }), token: given })
}

async function applyKeys(
  application: Application,
  tenant: TenantName | null,
  keys: readonly DeclaredKey[],
): Promise<void> {
  if (keys.length === 0) return
  const stored = await listKeys(application.trx, tenant?.id ?? null)
  const owners = await findOwners(application, tenant)
  for (const key of keys) {
    const live = stored.find(({ name, revokedAt }) => name === key.declared.name && revokedAt === null)
    const terms = termsOf(application, owners, key, live)
    if (terms && (await acceptToken(application, tenant, key)))
      await applyKey(application, tenant, key, terms, live)
  }
}

/** Gives a tenant its declared keys. Its staff and the operators must be there before. */
export async function applyTenantKeys(
  application: Application,
  tenant: TenantName,
  declared: TenantDeclaration,
  tenantPath: Path,
): Promise<void> {
  const keys = (declared.keys ?? []).map(
    (key, index): DeclaredKey => ({
      declared: key,
      path: [...tenantPath, 'keys', index],
      userField: 'user',
    }),
  )
  await applyKeys(application, tenant, keys)
}

/** Gives the platform its declared keys. The operators must be there before. */
export async function applyPlatformKeys(application: Application, file: PlatformFile): Promise<void> {
  const keys = (file.platform_keys ?? []).map(
    ({ operator, ...key }, index): DeclaredKey => ({
      declared: { ...key, ...(operator !== undefined && { user: operator }) },
      path: ['platform_keys', index],
      userField: 'operator',
    }),
  )
  await applyKeys(application, null, keys)
}
