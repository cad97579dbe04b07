import { type TenantAttribute, type TenantList, tenantAttributes } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { ApiError, isReservedParameter } from '../foundation/http/index.ts'
import { toIso } from '../foundation/time.ts'
import type { Tenant } from './tenant.ts'
import { listTenants } from './tenants.store.ts'

const FIELDS = 'fields[tenants]'

/** What an answer quotes of a name that it does not know: as much as any it knows is long, and some more. */
const MAX_QUOTED = 40

const cut = (name: string): string =>
  name.length <= MAX_QUOTED ? name : `${name.slice(0, MAX_QUOTED).toWellFormed()}…`

const isAttribute = (name: string): name is TenantAttribute =>
  (tenantAttributes as readonly string[]).includes(name)

const malformed = (parameter: string, message: string) =>
  new ApiError(400, message, { errors: { [parameter]: [message] } })

/** The attributes that a query selects: all of them unless it has `fields[tenants]`. Throws 400 for an
 *  unknown or repeated one and for what JSON:API reserves and this route lacks (decisions, "Answers"). */
export function readTenantFields(query: URLSearchParams): ReadonlySet<TenantAttribute> {
  for (const name of query.keys())
    if (name !== FIELDS && isReservedParameter(name))
      throw malformed(cut(name), `${cut(name)} is not supported here. ${FIELDS} is.`)
  const [list, ...more] = query.getAll(FIELDS)
  if (list === undefined) return new Set(tenantAttributes)
  if (more.length > 0) throw malformed(FIELDS, `Send ${FIELDS} once, with its names separated by commas.`)
  const chosen = new Set<TenantAttribute>()
  for (const name of list === '' ? [] : list.split(',')) {
    if (!isAttribute(name))
      throw malformed(FIELDS, `${FIELDS} knows ${tenantAttributes.join(', ')}, and not "${cut(name)}".`)
    if (chosen.has(name)) throw malformed(FIELDS, `${FIELDS} names ${name} twice.`)
    chosen.add(name)
  }
  return chosen
}

function attributesOf(tenant: Tenant, fields: ReadonlySet<TenantAttribute>) {
  return {
    ...(fields.has('name') && { name: tenant.name }),
    ...(fields.has('slug') && { slug: tenant.slug }),
    ...(fields.has('domain') && { domain: tenant.domain }),
    ...(fields.has('created_at') && { created_at: toIso(tenant.createdAt) }),
  }
}

/** Every tenant of the platform, oldest first, with the chosen attributes (interface 4.2). */
export async function listTenantResources(
  db: Database,
  fields: ReadonlySet<TenantAttribute>,
): Promise<TenantList> {
  const tenants = await listTenants(db)
  return {
    data: tenants.map(tenant => ({
      id: tenant.id,
      type: 'tenants',
      attributes: attributesOf(tenant, fields),
    })),
  }
}
