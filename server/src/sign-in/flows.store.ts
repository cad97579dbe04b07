import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { gather } from '../foundation/gather.ts'
import type { Flow, FlowRequest } from './flow.ts'
import { signInTables } from './tables.ts'

/** A flow that begins, and whose it is. */
type NewFlow = Omit<Flow, 'finishedAt'> & { tenantId: string }

/** Stores flows, of any tenants. */
async function insertFlows(db: Database, flows: readonly NewFlow[]): Promise<undefined[]> {
  const column = <K extends keyof NewFlow>(name: K) => flows.map(flow => flow[name])
  const asked = (name: keyof FlowRequest) => flows.map(({ request }) => request?.[name] ?? null)
  await sql`
    insert into sign_in_flows (tenant_id, id, browser_hash, client_id, redirect_uri, state, code_challenge, scope, nonce,
      max_age_s, ui_locales, member_hint, prompt, created_at, expires_at)
    select * from unnest(${column('tenantId')}::uuid[], ${column('id')}::uuid[], ${column('browserHash')}::bytea[],
      ${asked('clientId')}::text[], ${asked('redirectUri')}::text[], ${asked('state')}::text[],
      ${asked('codeChallenge')}::text[], ${asked('scope')}::text[], ${asked('nonce')}::text[],
      ${asked('maxAgeS')}::integer[], ${asked('uiLocales')}::text[], ${asked('memberHint')}::uuid[],
      ${column('prompt')}::text[], ${column('createdAt')}::timestamptz[], ${column('expiresAt')}::timestamptz[])
  `.execute(db)
  return flows.map(() => undefined)
}

/** Stores a flow that begins, in one statement with those of other browsers. */
export type StoreFlow = (tenantId: string, flow: Omit<Flow, 'finishedAt'>) => Promise<void>

export function flowStorer(db: Database): StoreFlow {
  const insert = gather({ run: (flows: readonly NewFlow[]) => insertFlows(db, flows) })
  return (tenantId, flow) => insert({ ...flow, tenantId })
}

/** A flow by its id, whatever has become of it. */
export async function findFlow(db: Database, tenantId: string, id: string): Promise<Flow | undefined> {
  const row = await signInTables(db)
    .selectFrom('sign_in_flows')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { client_id: clientId, redirect_uri: redirectUri, state, scope, nonce } = row
  return {
    id: row.id,
    browserHash: row.browser_hash,
    request:
      clientId === null || redirectUri === null
        ? null
        : {
            clientId,
            redirectUri,
            state,
            codeChallenge: row.code_challenge,
            scope,
            nonce,
            maxAgeS: row.max_age_s,
            uiLocales: row.ui_locales,
            memberHint: row.member_hint,
          },
    prompt: row.prompt,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    finishedAt: row.finished_at,
  }
}

/** Finishes a flow; false if it has expired or was finished before. One statement, so that of two windows that act at
 *  once one is sent on. */
export async function finishFlow(db: Database, tenantId: string, id: string, now: Date): Promise<boolean> {
  const result = await signInTables(db)
    .updateTable('sign_in_flows')
    .set({ finished_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
