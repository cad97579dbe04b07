import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findPort, type Program, startProgram } from './start-program.ts'

let dataDir: string
let port: number
let demo: Program

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'usher-demo-'))
  port = await findPort()
})
afterEach(async () => {
  await demo.end('SIGINT')
  rmSync(dataDir, { recursive: true, force: true })
})

const startDemo = (env: Record<string, string> = {}) => {
  demo = startProgram('examples/demo.ts', {
    USHER_PORT: `${port}`,
    USHER_DATA_DIR: dataDir,
    SITE_PORT: '0',
    PARTNER_PORT: '0',
    ...env,
  })
}

/** The status of a request to a host of this machine; undefined where nobody listens. */
function statusOf(host: string, atPort: number, path: string, body?: string): Promise<number | undefined> {
  return new Promise(resolve => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: atPort,
        path,
        method: body ? 'POST' : 'GET',
        agent: false,
        headers: { host: `${host}:${atPort}`, 'content-type': 'text/plain' },
      },
      response => {
        response.resume()
        response.on('end', () => resolve(response.statusCode))
      },
    )
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })
}

describe('npm run demo', () => {
  test('starts platform, site, partner and consumer, prints an event that is sent, and ends all four on Ctrl-C', async () => {
    startDemo()
    const [, sitePort] = await demo.line(/^site +│ .*http:\/\/news\.acme\.localhost:(\d+)/)
    await demo.line(/^ {2}Open {2}http:\/\/news\.acme\.localhost:/)
    await demo.line(/^consumer │ Reading the events of http:\/\/platform\.localhost:/)
    expect(await statusOf('news.acme.localhost', Number(sitePort), '/')).toBe(200)
    const [, partnerPort] = await demo.line(/^partner +│ .*http:\/\/127\.0\.0\.1:(\d+)/)
    // It has found the tenant, and sends the browser there.
    expect(await statusOf('127.0.0.1', Number(partnerPort), '/sign-in')).toBe(303)

    const event = {
      id: randomUUID(),
      type: 'page_view',
      session_id: 'a-session',
      url: `http://news.acme.localhost:${sitePort}/sport`,
      event_sequence: 7,
    }
    const collected = await statusOf(
      'members.acme.localhost',
      port,
      '/api/sdk/events',
      JSON.stringify({ events: [event] }),
    )
    expect(collected).toBe(202)
    await demo.line(
      /^consumer │ \d\d:\d\d:\d\d page_view +news\.acme\.localhost\/sport · session …ession #7$/,
    )

    expect(await demo.end('SIGINT')).toBe(0)
    expect(await statusOf('platform.localhost', port, '/livez')).toBeUndefined()
    expect(await statusOf('news.acme.localhost', Number(sitePort), '/')).toBeUndefined()
    expect(await statusOf('127.0.0.1', Number(partnerPort), '/')).toBeUndefined()
    expect(demo.lines.filter(line => /error|ended/i.test(line))).toEqual([])
  })

  test('ends with the platform’s own line where its port is in use', async () => {
    const occupant = createServer().listen(port, '127.0.0.1')
    try {
      await once(occupant, 'listening')
      startDemo()
      await demo.line(new RegExp(`^platform │ .*${port}.* in use`))
      expect(await demo.over).toBe(1)
      expect(demo.lines.filter(line => /^(?:site|partner|consumer)/.test(line))).toEqual([])
    } finally {
      occupant.close()
    }
  })

  test('ends with the exit code of the program that ends', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    try {
      await once(occupant, 'listening')
      const sitePort = (occupant.address() as AddressInfo).port
      startDemo({ SITE_PORT: `${sitePort}` })
      await demo.line(new RegExp(`^site +│ Port ${sitePort} is in use`))
      expect(await demo.over).toBe(1)
      expect(await statusOf('platform.localhost', port, '/livez')).toBeUndefined()
    } finally {
      occupant.close()
    }
  })
})
