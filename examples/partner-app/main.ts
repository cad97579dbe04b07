// The demo's tenant lives under .localhost, which Node cannot find everywhere.
import '../localhost-names.mjs'
import { createApp } from './app.ts'
import { readSettings } from './read-settings.ts'
import { openSignIn } from './sign-in.ts'

try {
  const settings = readSettings(process.env)
  const app = createApp(settings, openSignIn(settings))
  app.on('error', (error: NodeJS.ErrnoException) => {
    const { port } = settings
    const whatToSet = process.env.PARTNER_PORT
      ? 'Set PARTNER_PORT to another one.'
      : 'Set REDIRECT_URI to one with another port, and have the publisher register it: the README of examples/partner-app has the lines for the demo, under "Another port".'
    console.error(error.code === 'EADDRINUSE' ? `Port ${port} is in use. ${whatToSet}` : error.message)
    process.exit(1)
  })
  app.listen(settings.port, '127.0.0.1', () => {
    const address = app.address()
    const port = typeof address === 'object' && address ? address.port : settings.port
    console.log(`Saltern Pictures is at http://${settings.redirectUri.hostname}:${port}`)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      app.close()
      app.closeAllConnections()
    })
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
