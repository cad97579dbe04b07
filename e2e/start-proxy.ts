import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const isOpen = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port })
    const answer = (open: boolean) => () => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', answer(true)).once('error', answer(false))
  })

/** Starts nginx or Caddy, by its path, with these arguments, and waits until it listens. What it keeps goes into the folder. Gives what
 *  ends it. */
export async function startProxy(
  program: string,
  args: readonly string[],
  { folder, port }: { folder: string; port: number },
): Promise<() => Promise<void>> {
  const proxy = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  const said: string[] = []
  proxy.stderr.on('data', chunk => void said.push(String(chunk)))
  while (!(await isOpen(port))) {
    if (proxy.exitCode !== null) throw new Error(`${program} ended: ${said.join('')}`)
    await sleep(50)
  }
  return async () => {
    const ended = once(proxy, 'close')
    proxy.kill('SIGTERM')
    await ended
  }
}

/** What nginx needs to run in a folder, by whoever it is, around what stands in its http block. */
export const nginxAround = (
  folder: string,
  http: string,
): string => `daemon off; pid ${folder}/pid; error_log stderr;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${http}
}`
