/** Where Redis or Valkey is, and how to get in. */
export interface RedisAddress {
  kind: 'single' | 'cluster'
  /** One, or some of a Cluster, which name the others. */
  nodes: readonly { host: string; port: number }[]
  tls: boolean
  username: string | undefined
  password: string | undefined
  /** The number of the database; a Cluster has one only. */
  database: number
}

const DEFAULT_PORT = 6_379
const FORMS = 'must be redis://host:6379, rediss://host:6379 or redis+cluster://host:6379,host:6379'

function readNode(text: string): { host: string; port: number } {
  const [, literal, name, port = String(DEFAULT_PORT)] =
    /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = literal ?? name
  // Not quoted: what stands before it may be a password.
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) throw new Error(FORMS)
  return { host, port: Number(port) }
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has a user or a password whose percent-encoding cannot be read')
  }
}

/** Reads `redis://`, `rediss://` (TLS) and `redis+cluster://host:port,host:port`, each with `user:password@` where it
 *  is needed and the first two with `/number` of a database (decisions, "First start, and configuration"). Throws an
 *  Error to be read after the variable's name; it quotes nothing, as there may be a password in it. */
export function parseRedisUrl(text: string): RedisAddress {
  const [, scheme = '', username, password, hosts = '', database] =
    /^(redis|rediss|redis\+cluster):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)(?:\/(\d{0,4}))?$/.exec(
      text,
    ) ?? []
  if (scheme === '') throw new Error(FORMS)
  const isCluster = scheme === 'redis+cluster'
  const nodes = hosts.split(',').map(readNode)
  if (!isCluster && nodes.length > 1) throw new Error('names several hosts, which only redis+cluster:// does')
  if (isCluster && Number(database ?? 0) !== 0)
    throw new Error('names a database, and a Cluster has only one')
  return {
    kind: isCluster ? 'cluster' : 'single',
    nodes,
    tls: scheme === 'rediss',
    username: decode(username),
    password: decode(password),
    database: Number(database ?? 0),
  }
}
