import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** The body of a GET to a port of this machine, over a connection of its own: a kept one could be closed meanwhile. */
export async function readAnswer(port: number, path: string, host = '127.0.0.1'): Promise<string> {
  const asked = get({ host: '127.0.0.1', port, path, headers: { host }, agent: false })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const body = await text(answer)
  if (answer.statusCode !== 200) throw new Error(`GET ${path} is answered ${answer.statusCode}: ${body}`)
  return body
}
