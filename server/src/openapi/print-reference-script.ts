import { constants, gzipSync } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

// Run as a process of its own (see reference-script.ts). The package keeps the script inside of its plugin, which
// serves it.
const app = Fastify()
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/' } })
const { body } = await app.inject('/docs/js/scalar.js')
// The map that it names is not in the package.
const script = body.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')
process.stdout.write(gzipSync(script, { level: constants.Z_BEST_COMPRESSION }))
