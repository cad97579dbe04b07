import pg from 'pg'
import { databaseUrl, type Endpoint } from './endpoint.ts'

/**
 * - `ready`: it answers, and the database is there
 * - `no-database`: it answers, but the database is not there
 * - `starting`: it answers that it does not take connections now (starting, recovering, stopping, full)
 * - `denied`: it does not know the password
 * - `silent`: nobody listens, or nobody answers in time
 */
export type Answer = 'ready' | 'no-database' | 'starting' | 'denied' | 'silent'

const ANSWERS: Record<string, Answer> = {
  '3D000': 'no-database',
  '57P03': 'starting',
  '53300': 'starting',
  '28P01': 'denied',
  '28000': 'denied',
}

/** Connects once and says what came of it. */
export async function tryConnect(url: string, timeoutMs: number): Promise<Answer> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs })
  client.on('error', () => {})
  try {
    await client.connect()
    return 'ready'
  } catch (error) {
    return ANSWERS[String((error as { code?: unknown }).code)] ?? 'silent'
  } finally {
    // Not waited for: a server that hangs does not say goodbye.
    client.end().catch(() => {})
  }
}

/** Makes the database where it is missing, e.g. because the first start was killed before it came to this. */
export async function createDatabase(endpoint: Endpoint, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(endpoint, password, 'postgres') })
  await client.connect()
  try {
    await client.query('CREATE DATABASE usher')
  } finally {
    await client.end()
  }
}
