import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { afterAll } from 'vitest'

// Set up before every test file: what is not loopback cannot be reached, and a file that tried fails, also
// when the code under test swallowed the error.

const attempts: string[] = []

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (name === '' || name === 'localhost' || name.endsWith('.localhost')) return true
  if (net.isIP(name) === 0) return false
  // The unspecified address connects to this machine too.
  return /^127\.|^(?:::ffff:)127\.|^::1$|^::$|^0\.0\.0\.0$/.test(name)
}

function refuse(what: string): Error {
  attempts.push(what)
  return Object.assign(new Error(`Tests talk to loopback only, and this one wanted ${what}.`), {
    code: 'ENETUNREACH',
  })
}

/** Host and port of any of the forms that `connect` takes; undefined for a Unix socket. */
function targetOf(args: unknown[]): { host: string; port: string } | undefined {
  // net.connect() hands its own normalized list on.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  if (typeof first === 'object' && first !== null) {
    const { path, host, port } = first as { path?: unknown; host?: unknown; port?: unknown }
    return path ? undefined : { host: String(host ?? ''), port: String(port) }
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return undefined
  return { host: typeof second === 'string' ? second : '', port: String(first) }
}

type Method = (this: unknown, ...args: unknown[]) => unknown

function wrap(target: object, name: string, around: (original: Method) => Method): void {
  const methods = target as Record<string, Method | undefined>
  const original = methods[name]
  if (original) methods[name] = around(original)
}

wrap(
  net.Socket.prototype,
  'connect',
  original =>
    function (...args) {
      const target = targetOf(args)
      if (!target || isLoopback(target.host)) return original.apply(this, args)
      const error = refuse(`${target.host}:${target.port}`)
      const socket = this as net.Socket
      // As a real failure would come: later, as an event.
      process.nextTick(() => socket.destroy(error))
      return socket
    },
)

for (const method of ['send', 'connect'])
  wrap(
    dgram.Socket.prototype,
    method,
    original =>
      function (...args) {
        const host = args.slice(1).find(arg => typeof arg === 'string')
        if (host === undefined || isLoopback(host)) return original.apply(this, args)
        throw refuse(`${host} by UDP`)
      },
  )

for (const method of Object.keys(dns).filter(name => /^(?:lookup|resolve|reverse)/.test(name))) {
  const guard: (fail: (error: Error, args: unknown[]) => unknown) => (original: Method) => Method =
    fail => original =>
      function (...args) {
        const host = String(args[0])
        return isLoopback(host) ? original.apply(this, args) : fail(refuse(`the address of ${host}`), args)
      }
  wrap(
    dns,
    method,
    guard((error, args) => {
      const callback = args.findLast(arg => typeof arg === 'function') as ((error: Error) => void) | undefined
      process.nextTick(() => callback?.(error))
    }),
  )
  wrap(
    dns.promises,
    method,
    guard(error => Promise.reject(error)),
  )
}
syncBuiltinESMExports()

afterAll(() => {
  if (attempts.length > 0)
    throw new Error(`Tests talk to loopback only, and this file wanted ${attempts.splice(0).join(', ')}.`)
})
