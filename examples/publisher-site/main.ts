// The demo's tenant lives under .localhost, which Node cannot find everywhere.
import '../localhost-names.mjs'
import { readClient } from './read-client.ts'
import { createSite } from './site.ts'

const port = Number(process.env.SITE_PORT ?? 4100)
const tenantUrl = process.env.USHER_TENANT_URL ?? 'http://members.acme.localhost:3000'

const problems: string[] = []
if (!Number.isInteger(port) || port < 0 || port > 65_535) problems.push('SITE_PORT must be a port number.')
if (!/^https?:$/.test(URL.parse(tenantUrl)?.protocol ?? ''))
  problems.push("USHER_TENANT_URL must be the http or https address of the tenant's domain.")
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}

const site = createSite({ tenantUrl, client: readClient(process.env) })
site.on('error', (error: NodeJS.ErrnoException) => {
  const inUse = error.code === 'EADDRINUSE'
  console.error(inUse ? `Port ${port} is in use. Set SITE_PORT to another one.` : error.message)
  process.exit(1)
})
site.listen(port, '127.0.0.1', () => {
  const address = site.address()
  const listening = typeof address === 'object' && address ? address.port : port
  console.log(`Acme Daily is at http://news.acme.localhost:${listening}`)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    site.close()
    site.closeAllConnections()
  })
}
