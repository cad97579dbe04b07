import { afterAll, beforeAll } from 'vitest'
import { PlatformFileError } from '../tenancy/platform-file/problems.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { applyTestPlatform } from './platform.ts'

/** The token of the tenant that is there already. */
export const keptToken = 'a-token-of-the-kept-tenant-32-characters'

/** A file with one tenant, whose further fields begin on line 5. */
export const tenant = (fields: string) => `tenants:
  - slug: acme
    name: Acme
    domain: acme.example
${fields.replace(/^/gm, '    ')}`

export const key = (fields: string) =>
  tenant(`staff: [{ email: a@acme.example, role: administrator }]
keys:
  - name: k
${fields.replace(/^/gm, '    ')}`)

export const HOST_FORM =
  'must be a host name alone, like members.example.com: no scheme, port, path or trailing dot'
export const TOKEN_FORM =
  'must be 32 to 512 letters, digits and marks without spaces; leave it out to have one made'

/** A platform with one tenant, kept, and files that it refuses. */
export function useRefusedFiles() {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
    await applyTestPlatform(
      database,
      `tenants:
  - slug: kept
    name: Kept
    domain: kept.example
    aliases: [alias.kept.example]
    staff: [{ email: kept@kept.example, role: administrator }]
    keys: [{ name: kept, token: ${keptToken} }]
`,
    )
  })
  afterAll(() => database.drop())

  /** The problems that a file is refused with. */
  async function refusal(text: string, env: Record<string, string> = {}): Promise<readonly string[]> {
    try {
      await applyTestPlatform(database, text, { env })
    } catch (error) {
      if (error instanceof PlatformFileError) return error.problems
      throw error
    }
    return []
  }

  return {
    refusal,
    /** There once the tests run. */
    get database() {
      return database
    },
  }
}
