import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** A tenant's script in the two forms that it is sent in. */
export interface Script {
  /** Of the text: the name of the copy that never changes. */
  hash: string
  plain: ScriptForm
  gzipped: ScriptForm
}

export interface ScriptForm {
  body: Buffer
  /** A strong one: forms that differ in a byte differ in it (RFC 9110 8.8.1). */
  etag: string
}

/** Tenants whose scripts are kept ready; one more costs a millisecond. */
const maxKept = 1_000

/** Gives each tenant its script: `template` with what is between double braces in it filled in. */
export function createScripts(template: string): (values: Readonly<Record<string, string>>) => Script {
  const kept = new Map<string, Script>()
  return values => {
    const key = JSON.stringify(values)
    let script = kept.get(key)
    if (!script) {
      script = makeScript(template.replace(/\{\{(\w+)\}\}/g, (place, name) => values[name] ?? place))
      if (kept.size >= maxKept) kept.clear()
      kept.set(key, script)
    }
    return script
  }
}

function makeScript(text: string): Script {
  const body = Buffer.from(text)
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return {
    hash,
    plain: { body, etag: `"${hash}"` },
    gzipped: { body: gzipSync(body, { level: 9 }), etag: `"${hash}-gzip"` },
  }
}

/** Whether If-None-Match names this ETag. The comparison is the weak one (RFC 9110 13.1.2): proxies that pack an
 *  answer make its ETag weak. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some(one => one.trim().replace(/^W\//, '') === etag)
}

/** Whether Accept-Encoding takes gzip (RFC 9110 12.5.3). */
export function takesGzip(acceptEncoding: string | undefined): boolean {
  const weights = new Map<string, number>()
  for (const part of (acceptEncoding ?? '').split(',')) {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}
