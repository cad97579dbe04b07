import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { latencyAt, mergeLatencies } from '../load/latencies.ts'
import type { Bench } from '../measure/bench.ts'
import { coresUsed, showCores } from '../measure/cores-used.ts'
import { type Finding, show } from '../report/findings.ts'
import { median } from '../report/statistics.ts'
import { type CodeServer, exchangeRequests } from './code-server.ts'
import { longestHoldMs } from './event-loop.ts'
import { opensslSignaturesPerS } from './openssl-speed.ts'
import { platformCodes } from './platform-codes.ts'
import { readAnswer } from './read-answer.ts'
import { type RequestGenerator, startRequestGenerator } from './request-generator.ts'
import type { RequestJob, RequestResult } from './request-job.ts'
import { startRival } from './rival.ts'

const connections = 32
/** More than any of them exchanges. */
const codesPerS = 5_000
const targets = { ofOAuth2Server: 1, ofOidcProvider: 0.65, p99Ms: 50, holdMs: 20 }

const perSecond = ({ requests, measuredS }: RequestResult): number => requests / measuredS

/** Exchanges of codes with PKCE for RS256 tokens over 32 connections, beside @node-oauth/oauth2-server over the same
 *  PostgreSQL and oidc-provider in its memory: in turn, several rounds, and the medians of their ratios. `isOpenId`: each
 *  exchange gives an id_token too, beside oidc-provider alone. `metricsPort` is where the platform tells of its event loop. */
export async function measureExchanges(
  bench: Bench,
  { metricsPort, isOpenId }: { metricsPort: number; isOpenId: boolean },
): Promise<Finding[]> {
  const { options, platform, print, rivalDatabaseUrl } = bench
  const what = `code exchanges${isOpenId ? ' with an id_token' : ''}, ${connections} connections, PKCE, RS256`
  print(`\n${what}, ${options.rounds} rounds in turn`)
  const rivalOptions = { databaseUrl: rivalDatabaseUrl, isOpenId }
  const servers = [
    await platformCodes(platform, { isOpenId }),
    await startRival('oidc-provider', new URL('oidc-provider.ts', import.meta.url), rivalOptions),
    ...(isOpenId
      ? []
      : [await startRival('oauth2-server', new URL('oauth2-server.ts', import.meta.url), rivalOptions)]),
  ] as const
  const generator = await startRequestGenerator()
  try {
    const seen = servers.map((): RequestResult[] => [])
    const holdsMs: number[] = []
    const signaturesPerS: number[] = []
    // The first is for all that is compiled, planned and cached at first use.
    for (let round = 0; round <= options.rounds; round++) {
      const line: string[] = []
      for (const [index, server] of servers.entries()) {
        const job = await exchangeJob(bench, server)
        if (index === 0) await longestHoldMs(metricsPort)
        const { result, cores } = await coresUsed(platform, () =>
          exchange(bench, generator, server, { job, isOpenId }),
        )
        line.push(`${server.name} ${show(perSecond(result))}/s`)
        if (index === 0) {
          const holdMs = await longestHoldMs(metricsPort)
          line.push(`event loop held ${show(holdMs, 1)} ms`, showCores(cores, result.cpuS / result.measuredS))
          if (round > 0) holdsMs.push(holdMs)
        }
        if (round > 0) seen[index]?.push(result)
      }
      const signatures = (await opensslSignaturesPerS(options.isQuick ? 1 : 3)) ?? Number.NaN
      if (round > 0) signaturesPerS.push(signatures)
      print(`  ${round || 'unmeasured'}: ${line.join(', ')}, openssl ${show(signatures)} signatures/s`)
    }
    await checkToken(servers[0], seen[0]?.[0]?.sample)
    return findings(what, seen, { holdsMs, signaturesPerS })
  } finally {
    await generator.stop()
    for (const server of servers) await server.stop()
  }
}

async function exchangeJob({ options }: Bench, server: CodeServer): Promise<RequestJob> {
  const { warmUpMs, roundMs } = options
  const codes = await server.makeCodes(Math.ceil(((warmUpMs + roundMs) / 1_000) * codesPerS))
  return {
    port: server.port,
    requests: exchangeRequests(server, codes),
    connections,
    warmUpMs,
    measureMs: roundMs,
    expected: { status: 200, start: '{"access_token":"ey' },
  }
}

async function exchange(
  { faults }: Bench,
  generator: RequestGenerator,
  { name }: CodeServer,
  { job, isOpenId }: { job: RequestJob; isOpenId: boolean },
): Promise<RequestResult> {
  const result = await generator.run(job)
  for (const [error, count] of Object.entries(result.errors))
    faults.push(`${count} × ${error} (from ${name})`)
  checkForm(name, result.sample, isOpenId ? ['access_token', 'id_token'] : ['access_token'])
  return result
}

/** Throws unless an answer holds these tokens, signed with RS256 by a key of 2048 bits. */
function checkForm(name: string, sample: string | undefined, tokens: readonly TokenName[]): void {
  for (const token of tokens) {
    const [header = '', , signature = ''] = readToken(sample, token).split('.')
    const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString() || '{}')
    if (alg !== 'RS256' || Buffer.from(signature, 'base64url').length !== 256)
      throw new Error(`${name} answers no RS256 ${token} of 2048 bits: ${sample}`)
  }
}

/** Throws unless the platform's published keys verify its token. */
async function checkToken({ port, host }: CodeServer, sample: string | undefined): Promise<void> {
  const keys: JSONWebKeySet = JSON.parse(await readAnswer(port, '/.well-known/jwks.json', host))
  await jwtVerify(readToken(sample), createLocalJWKSet(keys), { typ: 'at+jwt' })
}

type TokenName = 'access_token' | 'id_token'

const readToken = (sample = '{}', name: TokenName = 'access_token'): string =>
  String(JSON.parse(sample)[name] ?? '')

function findings(
  what: string,
  [own = [], inMemory = [], overDatabase]: readonly RequestResult[][],
  { holdsMs, signaturesPerS }: { holdsMs: readonly number[]; signaturesPerS: readonly number[] },
): Finding[] {
  const rateOf = (results: readonly RequestResult[]) => median(results.map(perSecond))
  const ratioTo = (others: readonly RequestResult[]) =>
    median(
      own.map((result, round) => {
        const other = others[round]
        return other ? perSecond(result) / perSecond(other) : Number.NaN
      }),
    )
  const latenciesOf = (results: readonly RequestResult[]) => mergeLatencies(results.map(r => r.latencies))
  const p99Of = (results: readonly RequestResult[]) => latencyAt(latenciesOf(results), 0.99)
  const showAll = (results: readonly RequestResult[]) =>
    `${show(rateOf(results))}/s, p50 ${show(latencyAt(latenciesOf(results), 0.5), 1)} ms, p99 ${show(p99Of(results), 1)} ms`
  const ofOidcProvider = ratioTo(inMemory)
  const findings: Finding[] = [
    {
      what,
      target: `≥ ${targets.ofOidcProvider}`,
      seen: showAll(own),
      ratio: show(ofOidcProvider, 2),
      rival: `oidc-provider, in memory ${showAll(inMemory)}; openssl speed rsa2048, one core ${show(median(signaturesPerS))}/s`,
      isMet: ofOidcProvider >= targets.ofOidcProvider,
    },
    {
      what: `${what}, p99`,
      target: `≤ ${targets.p99Ms} ms`,
      seen: `${show(p99Of(own), 1)} ms`,
      ratio: '',
      rival: '',
      isMet: p99Of(own) <= targets.p99Ms,
    },
    {
      what: 'longest hold of the event loop, median of the rounds',
      target: `≤ ${targets.holdMs} ms`,
      seen: `${show(median(holdsMs), 1)} ms, worst ${show(Math.max(...holdsMs), 1)} ms`,
      ratio: '',
      rival: '',
      isMet: median(holdsMs) <= targets.holdMs,
    },
  ]
  if (!overDatabase) return findings
  const ofOAuth2Server = ratioTo(overDatabase)
  return [
    {
      what,
      target: `≥ ${show(targets.ofOAuth2Server, 1)}`,
      seen: showAll(own),
      ratio: show(ofOAuth2Server, 2),
      rival: `@node-oauth/oauth2-server, same PostgreSQL ${showAll(overDatabase)}`,
      isMet: ofOAuth2Server >= targets.ofOAuth2Server,
    },
    ...findings,
  ]
}
