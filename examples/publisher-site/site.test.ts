import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { html } from './html.ts'
import { standings } from './league.ts'
import { createSite } from './site.ts'

const site = createSite({ tenantUrl: 'http://members.acme.localhost:3000' })
let origin: string

beforeAll(async () => {
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
afterAll(async () => {
  site.closeAllConnections()
  await new Promise(resolve => site.close(resolve))
})

const linksIn = (page: string) => [...page.matchAll(/href="(\/[^"#]*)/g)].map(([, path = '']) => path)

describe('the publisher’s site', () => {
  test('has no dead link, and each page one heading, a title of its own and the tenant’s script', async () => {
    const titles = new Map<string, string>()
    const seen = new Set<string>(['/'])
    for (const path of seen) {
      const response = await fetch(origin + path)
      expect(response.status, path).toBe(200)
      const body = await response.text()
      if (!response.headers.get('content-type')?.startsWith('text/html')) continue
      expect(body.match(/<h1[ >]/g), path).toHaveLength(1)
      expect(body, path).toContain('<script src="http://members.acme.localhost:3000/sdk.js" async></script>')
      const title = /<title>(.*?)<\/title>/.exec(body)?.[1] ?? ''
      expect(titles.get(title), `${path} has the title of another page: ${title}`).toBeUndefined()
      titles.set(title, path)
      for (const link of linksIn(body)) seen.add(link)
    }
    expect(titles.size).toBe(15)
  })

  test('lets scripts and requests go to the tenant’s domain and nowhere else', async () => {
    const { headers } = await fetch(origin)
    expect(headers.get('content-security-policy')).toContain(
      "script-src 'self' http://members.acme.localhost:3000; connect-src 'self' http://members.acme.localhost:3000",
    )
  })

  test.for([
    ['GET', '/nothing', 404],
    ['GET', '/city/no-such-story', 404],
    ['GET', '/../main.ts', 404],
    ['GET', '/sport/table?round=2', 200],
    ['HEAD', '/', 200],
    ['POST', '/', 405],
  ] as const)('answers %s %s with %i', async ([method, path, status]) => {
    expect((await fetch(origin + path, { method })).status).toBe(status)
  })
})

test('what is put into a page is escaped', () => {
  expect(html`<p title="${`"'`}">${'<script>&'}</p>`.html).toBe(
    '<p title="&quot;&#39;">&lt;script&gt;&amp;</p>',
  )
})

test('the league’s table counts what was played', () => {
  const rows = standings()
  expect(rows.map(({ team, points }) => `${team} ${points}`)).toEqual([
    'Tanners 7',
    'Harbour 5',
    'Mill Lane 4',
    'Eastgate 4',
    'Northshore 4',
    'Saltern 0',
  ])
  expect(rows.reduce((sum, row) => sum + row.goalDifference, 0)).toBe(0)
})
