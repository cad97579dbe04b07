import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContractPlatform, createContractPlatform } from '../testing/contract/contract-platform.ts'
import { keys, keyWithout, mistyped } from '../testing/contract/keys.ts'
import { operationOf, operationsWhere } from '../testing/contract/operations.ts'
import { platformHost } from '../testing/whole-platform.ts'

const tenantHost = 'members.acme.example'
let platform: ContractPlatform
beforeAll(async () => {
  platform = await createContractPlatform()
})
afterAll(() => platform.close())
beforeEach(() => platform.reset())

/** What a presented credential comes to: the operation's own success, or a refusal. */
type Outcome = 'success' | 401 | 403 | 422

interface Presented {
  what: string
  /** The Authorization header, from the token that opens the operation. */
  header(token: string, name: string): string | undefined
  /** On a tenant's API at that tenant's host, on the same at the platform host, and on a landlord's route. */
  outcomes: readonly [tenantHost: Outcome, platformHost: Outcome, landlord: Outcome]
  message?: RegExp
  /** The key's user may view the tenant, and no more. */
  isViewer?: true
}

const refused = [401, 401, 401] as const
const bearer = (token: string) => () => `Bearer ${token}`

const malformed: Presented[] = [
  { what: 'no key', header: () => undefined, outcomes: refused },
  { what: 'an empty header', header: () => '', outcomes: refused },
  { what: 'the scheme alone', header: () => 'Bearer', outcomes: refused },
  { what: 'the scheme and a space', header: () => 'Bearer ', outcomes: refused },
  { what: 'two words', header: () => 'Bearer  x y', outcomes: refused },
  { what: 'two tokens', header: token => `Bearer ${token} ${token}`, outcomes: refused },
  { what: 'the scheme twice', header: token => `Bearer Bearer ${token}`, outcomes: refused },
  { what: 'a list of credentials', header: token => `Bearer ${token}, Bearer ${token}`, outcomes: refused },
  { what: 'a token without a scheme', header: token => token, outcomes: refused },
  { what: 'another scheme', header: token => `Token ${token}`, outcomes: refused },
  { what: 'the key as user of Basic', header: token => `Basic ${btoa(`${token}:`)}`, outcomes: refused },
  { what: 'the key as password of Basic', header: token => `Basic ${btoa(`x:${token}`)}`, outcomes: refused },
  { what: 'a tab after the scheme', header: token => `Bearer\t${token}`, outcomes: refused },
  { what: 'a quoted token', header: token => `Bearer "${token}"`, outcomes: refused },
  { what: 'the token in capitals', header: token => `Bearer ${token.toUpperCase()}`, outcomes: refused },
  { what: 'a token cut by one', header: token => `Bearer ${token.slice(0, -1)}`, outcomes: refused },
  { what: 'a token with a NUL', header: token => `Bearer ${token}%00`, outcomes: refused },
  { what: 'text beyond ASCII', header: token => `Bearer ${token}é`, outcomes: refused },
  { what: 'ten thousand characters', header: () => `Bearer ${'x'.repeat(10_000)}`, outcomes: refused },
]

const unknown: Presented[] = [
  { what: 'an unknown key', header: bearer(keys.unknown), outcomes: refused },
  { what: 'a made key that nobody has', header: bearer(keys.madeUnknown), outcomes: refused },
  {
    what: 'a made platform key that nobody has',
    header: bearer(keys.madeUnknownPlatform),
    outcomes: refused,
  },
  {
    what: 'a made key with a wrong checksum',
    header: () => `Bearer ${mistyped(platform.made.acmeMade)}`,
    outcomes: refused,
    message: /checksum/,
  },
  {
    what: 'a made platform key with a wrong checksum',
    header: () => `Bearer ${mistyped(platform.made.platformMade)}`,
    outcomes: refused,
    message: /checksum/,
  },
  { what: 'a revoked key', header: bearer(keys.acmeRevoked), outcomes: refused, message: /revoked/ },
  {
    what: 'a revoked platform key',
    header: bearer(keys.platformRevoked),
    outcomes: refused,
    message: /revoked/,
  },
  { what: 'an expired key', header: bearer(keys.acmeExpired), outcomes: refused, message: /expired/ },
  {
    what: 'an expired platform key',
    header: bearer(keys.platformExpired),
    outcomes: refused,
    message: /expired/,
  },
  { what: 'a key of an operator who is none any more', header: bearer(keys.platformLeft), outcomes: refused },
  {
    what: 'an unsigned member token',
    header: bearer(`${btoa('{"alg":"none"}')}.${btoa('{"sub":"x"}')}.`),
    outcomes: refused,
  },
  {
    what: 'a signed member token',
    header: bearer(`${btoa('{"alg":"RS256","typ":"device+jwt"}')}.${btoa('{"sub":"x"}')}.${'A'.repeat(342)}`),
    outcomes: refused,
  },
]

const known: Presented[] = [
  { what: 'an organization key', header: bearer(keys.acme), outcomes: ['success', 'success', 401] },
  {
    what: 'a made organization key',
    header: () => `Bearer ${platform.made.acmeMade}`,
    outcomes: ['success', 'success', 401],
    message: /Organization keys/,
  },
  {
    what: 'a platform key',
    header: bearer(keys.operator),
    outcomes: ['success', 422, 'success'],
    message: /tenant's domain/,
  },
  {
    what: 'a made platform key',
    header: () => `Bearer ${platform.made.platformMade}`,
    outcomes: ['success', 422, 'success'],
  },
  {
    what: 'the scheme in lower case',
    header: token => `bearer ${token}`,
    outcomes: ['success', 'success', 'success'],
  },
  {
    what: 'the scheme in capitals and two spaces',
    header: token => `BEARER  ${token}`,
    outcomes: ['success', 'success', 'success'],
  },
  {
    what: 'a key of another tenant',
    header: bearer(keys.globe),
    outcomes: [403, 'success', 401],
    message: /another tenant|Organization keys/,
  },
  {
    // Interface 5: "bearer token whose user can view the tenant".
    what: "a key of another tenant, whose user is of this tenant's staff too",
    header: bearer(keys.globeBoth),
    outcomes: ['success', 'success', 401],
    message: /Organization keys|no administrator/,
    isViewer: true,
  },
  {
    what: 'a key of a suspended tenant',
    header: bearer(keys.suspended),
    outcomes: [403, 403, 401],
    message: /another tenant|suspended|Organization keys/,
  },
  {
    what: 'a key of a user who left the staff',
    header: bearer(keys.acmeLeft),
    outcomes: [403, 403, 401],
    message: /staff|Organization keys/,
  },
]

const lacking: Presented[] = [
  {
    what: 'a key without the ability',
    header: (_token, name) => `Bearer ${keyWithout(operationOf(name).ability ?? 'admin:write', 'acme')}`,
    outcomes: [403, 403, 401],
    message: /lacks the ability|Organization keys/,
  },
  {
    what: 'a platform key without the ability',
    header: (_token, name) => `Bearer ${keyWithout(operationOf(name).ability ?? 'admin:write', 'platform')}`,
    outcomes: [403, 422, 403],
    message: /lacks the ability|tenant's domain/,
  },
]

const everyHeader = { 'x-request-id': expect.stringMatching(/^[\w-]+$/) }

/** Status, body and the whole set of headers of a refusal. */
async function expectRefusal(
  name: string,
  host: string,
  authorization: string | undefined,
  status: number,
  message: RegExp,
) {
  const answer = await platform.send(name, { host, authorization })
  const { date: _date, connection: _connection, 'content-length': length, ...headers } = answer.headers
  expect([answer.statusCode, answer.json()]).toEqual([status, { message: expect.stringMatching(message) }])
  expect(headers).toEqual({
    ...everyHeader,
    'content-type': 'application/json',
    ...operationOf(name).refusalHeaders,
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  })
  expect(length).toBe(String(Buffer.byteLength(answer.body)))
  expect(await platform.changes()).toEqual([])
}

async function expectOutcome(name: string, host: string, presented: Presented, viewing: Outcome) {
  const { header, message, isViewer } = presented
  const operation = operationOf(name)
  const outcome = isViewer && operation.administrator && viewing === 'success' ? 403 : viewing
  const authorization = header(operation.key === 'platform' ? keys.operator : keys.acme, name)
  if (outcome === 'success') {
    const answer = await platform.send(name, { host, authorization })
    expect([answer.statusCode, answer.body]).toEqual([operation.status, expect.anything()])
  } else await expectRefusal(name, host, authorization, outcome, message ?? /^[A-Z].+\.$/)
}

const api = operationsWhere(({ site }) => site === 'api')
const landlord = operationsWhere(({ key }) => key === 'platform')
// A client's server and a member have credentials of their own, of which token.routes.test.ts and member.routes.test.ts
// tell.
const open = operationsWhere(({ key, form, member }) => key === 'none' && !form && !member)
const everything = [...malformed, ...unknown, ...known, ...lacking]

describe.for(api)('%s', name => {
  test.for(everything.map(presented => [presented.what, presented] as const))('%s', async ([, presented]) => {
    const [atTenant, atPlatform] = presented.outcomes
    await expectOutcome(name, tenantHost, presented, atTenant)
    await platform.reset()
    await expectOutcome(name, platformHost, presented, atPlatform)
  })
})

describe.for(landlord)('%s', name => {
  const due = operationOf(name).ability ? everything : [...malformed, ...unknown, ...known]
  test.for(due.map(presented => [presented.what, presented] as const))('%s', async ([, presented]) => {
    await expectOutcome(name, platformHost, presented, presented.outcomes[2])
  })
})

describe.for(open)('%s needs no key, and one that is sent is not looked at', name => {
  test.for([...malformed, ...unknown].map(presented => [presented.what, presented] as const))(
    '%s',
    async ([, { header }]) => {
      const { site, status } = operationOf(name)
      const host = site === 'tenant' ? tenantHost : platformHost
      const answer = await platform.send(name, { host, authorization: header(keys.acme, name) })
      expect(answer.statusCode).toBe(status)
    },
  )
})

test('every key that a landlord route refuses is refused in the same words, whether it exists or not', async () => {
  const messages = new Set<string>()
  for (const key of [keys.unknown, keys.acmeRevoked, keys.platformRevoked, keys.platformLeft]) {
    const authorization = `Bearer ${key}`
    const answer = await platform.send('GET /api/v1/landlord/tenants', { host: platformHost, authorization })
    messages.add(answer.json().message)
  }
  expect(messages.size).toBe(1)
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(platform.linesWithSecrets()).toEqual([])
})
