import Fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addErrorHandling, notFound } from './index.ts'

const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

function openApp(developmentUrl?: URL) {
  const app = Fastify()
  addErrorHandling(app, { developmentUrl })
  app.get('/refused', () => Promise.reject(notFound('No tenant <answers> at this host.')))
  app.post('/refused', () => Promise.reject(notFound()))
  onTestFinished(() => app.close())
  return app
}

describe('an address where nothing is', () => {
  const platform = new URL('http://platform.localhost:3000')

  test('is told a developer’s browser on a page, with the address of the platform', async () => {
    const answer = await openApp(platform).inject({ url: '/refused', headers: { accept: browserAccepts } })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    })
    expect(answer.body).toContain('No tenant &#60;answers&#62; at this host.')
    expect(answer.body).toContain('<a href="http://platform.localhost:3000/docs">')
    const unknown = await openApp(platform).inject({ url: '/nothing', headers: { accept: browserAccepts } })
    expect([unknown.statusCode, unknown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  })

  test.for([
    ['a program', platform, 'GET', '*/*'],
    ['a program that says nothing', platform, 'GET', undefined],
    ['a form', platform, 'POST', browserAccepts],
    ['anybody in production', undefined, 'GET', browserAccepts],
  ] as const)('is told %s as JSON', async ([, url, method, accept]) => {
    const app = openApp(url)
    const answer = await app.inject({ method, url: '/refused', headers: accept ? { accept } : {} })
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.json()).toEqual({ message: expect.any(String) })
  })
})
