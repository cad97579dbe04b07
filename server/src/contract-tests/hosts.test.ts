import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContractPlatform, createContractPlatform } from '../testing/contract/contract-platform.ts'
import { keys } from '../testing/contract/keys.ts'
import { addressOf, operationOf, operations, operationsWhere } from '../testing/contract/operations.ts'
import { platformHost } from '../testing/whole-platform.ts'

const acmeOrigin = 'https://members.acme.example:8443'
let platform: ContractPlatform
beforeAll(async () => {
  platform = await createContractPlatform({ USHER_PUBLIC_URL: `https://${platformHost}:8443` })
})
afterAll(() => platform.close())
beforeEach(() => platform.reset())

/** What a Host header names, for the credentials of acme. */
type Kind =
  | 'platform'
  | 'canonical'
  | 'alias'
  | 'another tenant'
  | 'an alias of another tenant'
  | 'suspended'
  | 'nobody'

const spellings = (host: string) => [
  host,
  host.toUpperCase(),
  `${host}:8443`,
  `${host}:1`,
  `${host}:`,
  `${host}.`,
  `${host}.:8443`,
]
const hosts: Record<Kind, string[]> = {
  platform: spellings(platformHost),
  canonical: spellings('members.acme.example'),
  alias: [...spellings('accounts.acme.example'), ...spellings(`acme.${platformHost}`)],
  'another tenant': spellings('members.globe.example'),
  'an alias of another tenant': spellings(`globe.${platformHost}`),
  suspended: [
    'members.gone.example',
    'accounts.gone.example',
    `gone.${platformHost}`,
    'MEMBERS.GONE.example.:1',
  ],
  nobody: [
    '',
    'nobody.example',
    'localhost',
    '127.0.0.1',
    '127.0.0.1:8443',
    '[::1]',
    '[::1]:8443',
    '[::ffff:127.0.0.1]:8443',
    '::1',
    `nobody.${platformHost}`,
    `x.acme.${platformHost}`,
    'x.members.acme.example',
    'acme.example',
    'xmembers.acme.example',
    'members.acme.example.evil.example',
    `evil-${platformHost}`,
    `${platformHost}.evil.example`,
    'members.acme.example..',
    '.members.acme.example',
    'members..acme.example',
    `.${platformHost}`,
    'members.acme.example:x',
    'members.acme.example:80:80',
    'members.acme.example, members.globe.example',
    'members.acme.example members.globe.example',
    'user@members.acme.example',
    'members.acme.example/',
    'members.acme.example#',
    'members.acme.example?',
    'members.acme.example\\',
    'https://members.acme.example',
    'membérs.acme.example',
    'xn--membrs-dva.acme.example',
    '%6dembers.acme.example',
    '*.acme.example',
    '-',
    '.',
    ':',
    ':8443',
    '[]',
    `${'x'.repeat(64)}.example`,
    `${'x.'.repeat(120)}members.acme.example`,
    'x'.repeat(8_000),
    "'; drop table tenants; --",
    '__proto__',
    'constructor',
  ],
}

type Expected = [status: number, message?: RegExp] | 'success'

/** What decisions ("Addresses") say of a route of a site, at a host of a kind. */
function expectedAt(name: string, kind: Kind): Expected {
  const { site, key } = operationOf(name)
  if (site === 'any') return 'success'
  if (site === 'platform') return kind === 'platform' ? 'success' : [404, /nothing at this address/]
  if (kind === 'nobody') return [404, /No tenant/]
  if (kind === 'suspended') return [403, /suspended/]
  if (site === 'tenant') {
    if (kind === 'platform') return [404, /tenant's domain/]
    if (!kind.includes('alias')) return 'success'
    return addressOf(name).method === 'GET' ? [302] : [421, /https:\/\/members\.(acme|globe)\.example:8443/]
  }
  // The key is of acme.
  return kind.includes('another tenant') && key !== 'none' ? [403, /another tenant/] : 'success'
}

const authorizationFor = (name: string): string | undefined => {
  const { key } = operationOf(name)
  return key === 'none' ? undefined : `Bearer ${key === 'platform' ? keys.operator : keys.acme}`
}

/** Status and message of the answer to the good request; of a refusal, every header is looked at too. */
async function answerAt(name: string, host: string) {
  const answer = await platform.send(name, { host, authorization: authorizationFor(name) })
  const { statusCode: status } = answer
  if (status < 400 || status === operationOf(name).status) return { host, status }
  const { date, connection, 'content-length': length, 'x-request-id': requestId, ...headers } = answer.headers
  expect([host, headers]).toEqual([
    host,
    { 'content-type': 'application/json', ...operationOf(name).refusalHeaders },
  ])
  expect([host, Object.keys(answer.json())]).toEqual([host, ['message']])
  return { host, status, message: String(answer.json().message) }
}

describe.for(Object.keys(operations))('%s is served where decisions say', name => {
  test.for(Object.entries(hosts))('%s', async ([kind, list]) => {
    const expected = expectedAt(name, kind as Kind)
    // Asked twice: of the database, and of what is known then.
    for (const host of [...list, ...list]) {
      const answer = await answerAt(name, host)
      if (expected === 'success') {
        expect(answer).toEqual({ host, status: operationOf(name).status })
        if (!name.startsWith('GET ')) await platform.reset()
      } else {
        const [status, message] = expected
        expect(answer).toEqual({ host, status, ...(message && { message: expect.stringMatching(message) }) })
      }
    }
    expect(await platform.changes()).toEqual([])
  })
})

describe.for(operationsWhere(({ site }) => site === 'tenant').filter(name => name.startsWith('GET ')))(
  '%s at an alias',
  name => {
    test.for(['a=1', 'a=%2F&b=//evil.example&c=%00', '?', 'next=https://evil.example/', '%zz', 'a=b+c'])(
      'is a 302 that keeps the query "%s"',
      async query => {
        for (const host of ['accounts.acme.example', `acme.${platformHost}:3000`]) {
          const answer = await platform.send(name, { host, query })
          const { date: _date, connection: _connection, 'x-request-id': _id, ...headers } = answer.headers
          expect([answer.statusCode, answer.body]).toEqual([302, ''])
          expect(headers).toEqual({
            ...operationOf(name).refusalHeaders,
            'content-length': '0',
            location: `${acmeOrigin}${addressOf(name).path}?${query}`,
          })
        }
      },
    )

    test('is a 302 without a query where there is none', async () => {
      const answer = await platform.send(name, { host: 'accounts.acme.example', query: null })
      expect(answer.headers.location).toBe(`${acmeOrigin}${addressOf(name).path}`)
    })

    test('cannot be made to lead elsewhere by what proxies say', async () => {
      const answer = await platform.send(name, {
        host: 'accounts.acme.example',
        query: null,
        headers: {
          'x-forwarded-host': 'evil.example',
          'x-forwarded-proto': 'javascript',
          forwarded: 'host=evil.example;proto=http',
          'x-original-url': '/evil',
        },
      })
      expect(answer.headers.location).toBe(`${acmeOrigin}${addressOf(name).path}`)
    })
  },
)

describe('what a host names decides who is served', () => {
  test.for([
    ['members.globe.example', 'globe'],
    ['members.acme.example', 'acme'],
  ] as const)('an event that is sent to %s is stored for %s alone', async ([host, tenant]) => {
    const count = async () => {
      const { rows } = await platform.database.pool.query(
        `select t.slug, count(l.id)::int as events from tenants t left join event_log l on l.tenant_id = t.id group by t.slug`,
      )
      return Object.fromEntries(rows.map(({ slug, events }) => [slug, events]))
    }
    const before = await count()
    await platform.send('POST /api/sdk/events', {
      host,
      headers: { 'x-forwarded-host': 'members.gone.example', 'x-tenant': platform.tenantIds.globe },
    })
    expect(await count()).toEqual({ ...before, [tenant]: before[tenant] + 1 })
  })

  test.for(['members.acme.example', 'accounts.acme.example', `acme.${platformHost}`, platformHost])(
    'a DELETE at %s removes of the same queue',
    async host => {
      const authorization = `Bearer ${keys.acme}`
      await platform.send('DELETE /api/platform/events', { host, authorization })
      const answer = await platform.send('GET /api/platform/events', { host: platformHost, authorization })
      const ids: string[] = answer.json().data.events.map(({ id }: { id: string }) => id)
      expect(ids.slice(0, 3)).toEqual(platform.recorded.acme.events.slice(2))
    },
  )
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(platform.linesWithSecrets()).toEqual([])
})
