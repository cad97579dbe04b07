import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What README.md has pages do until the SDK is there, as the example site has it. */
const standIn = /window\.usher = [\s\S]*?\n\}\n[\s\S]*?\n\}\n/.exec(
  await readFile(new URL('../../examples/publisher-site/public/site.js', import.meta.url), 'utf8'),
)?.[0]

/** What a page does by itself, beside what the test does on it. */
const scripts: Record<string, string> = {
  // Asks again whenever it loads, unless it has come back with an answer that it likes.
  '/asking': `
    usher.completeSignIn().then(async answer => {
      window.answer = answer
      if (answer.status !== 'authenticated')
        window.asked = await usher.signIn({ clientId: 'pages', redirectUri: location.origin + '/asking', prompt: 'none' })
    })`,
  // The same, and forgets to take the answer.
  '/forgetful': `
    usher.signIn({ clientId: 'pages', redirectUri: location.origin + '/forgetful', prompt: 'none' }).then(asked => {
      window.asked = asked
    })`,
}

/** Pages for any hostname of this machine, with the sign-in file alone, or with the tracking file too below /both-…. */
export async function startPages(tenantUrl: () => string) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const tag = (file: string) =>
      `<script async src="${searchParams.get('tenant') ?? tenantUrl()}/${file}.js"></script>`
    const tags = [tag('sdk-sign-in'), ...(searchParams.has('both') ? [tag('sdk')] : [])]
    response.setHeader('content-type', 'text/html')
    response.end(
      `<!doctype html><title>Page</title><link rel="icon" href="data:,"><script>${standIn}${scripts[pathname] ?? ''}</script>${tags.join('')}<p>Text`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    at: (host: string) => `http://${host}:${port}`,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
