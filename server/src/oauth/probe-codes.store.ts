import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { gather } from '../foundation/gather.ts'

export interface ProbeCode {
  tenantId: string
  codeHash: Buffer
  clientId: string
  /** The one that asked. */
  origin: string
  memberId: string
  /** The device session that the code's token is to ride. */
  sessionId: string
  issuedAt: Date
  expiresAt: Date
}

interface StoredProbeCode {
  /** The client is enabled, and has registered the origin. */
  isRegistered: boolean
  /** The session goes on. */
  isLive: boolean
}

/** Stores the codes of probes, of any tenants, each for the first redirect URI that its client has at this moment
 *  (interface 4.10), and answers for each, in their order, what a code needs to be stored: both. One statement, so
 *  what was committed before it is seen: no code for a client, an origin or a session that is no more. */
async function insertProbeCodes(db: Database, codes: readonly ProbeCode[]): Promise<StoredProbeCode[]> {
  const all = <Name extends keyof ProbeCode>(name: Name) => codes.map(code => code[name])
  const { rows } = await sql<{ is_registered: boolean; is_live: boolean }>`
    select is_registered, is_live from issue_probe_codes(${all('tenantId')}, ${all('codeHash')}, ${all('clientId')},
      ${all('origin')}, ${all('memberId')}, ${all('sessionId')}, ${all('issuedAt')}, ${all('expiresAt')})
  `.execute(db)
  return rows.map(row => ({ isRegistered: row.is_registered, isLive: row.is_live }))
}

/** Stores a code as insertProbeCodes does, in one statement with those of other callers. */
export type StoreProbeCode = (code: ProbeCode) => Promise<StoredProbeCode>

export const probeCodeStorer = (db: Database): StoreProbeCode =>
  gather({ run: (codes: readonly ProbeCode[]) => insertProbeCodes(db, codes) })
