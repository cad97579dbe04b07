import pg from 'pg'
import { startRequestGenerator } from '../exchanges/request-generator.ts'
import type { RequestJob, RequestResult } from '../exchanges/request-job.ts'
import { latencyAt, mergeLatencies } from '../load/latencies.ts'
import type { Bench } from '../measure/bench.ts'
import { coresUsed, showCores } from '../measure/cores-used.ts'
import { endChild, nextMessage, startWorker } from '../process/children.ts'
import { type Finding, show } from '../report/findings.ts'
import { median } from '../report/statistics.ts'
import { probeRequests } from './crowd.ts'
import { signIn, storeOthers } from './store-sessions.ts'

const connections = 32
const targets = { ofBare: 0.3, perS: 3_000, p99Ms: 30, ofFew: 1.2 }
/** Browsers that are signed in. */
const signedIn = 5_000

const perSecond = ({ requests, measuredS }: RequestResult): number => requests / measuredS
const rateOf = (results: readonly RequestResult[]): number => median(results.map(perSecond))
const latencyOf = (results: readonly RequestResult[], quantile: number): number =>
  latencyAt(mergeLatencies(results.map(({ latencies }) => latencies)), quantile)
const ratioOf = (results: readonly RequestResult[], others: readonly RequestResult[]): number =>
  median(results.map((result, round) => perSecond(result) / perSecond(others[round] ?? result)))

interface Round {
  bare: RequestResult[]
  nobody: RequestResult[]
  somebody: RequestResult[]
}

/** Probes of a crowd over 32 connections, nobody signed in and everybody, beside a bare Fastify route: in turn, several
 *  rounds; and the same with many more sessions stored. The platform is to believe a proxy on this machine. */
export async function measureProbes(bench: Bench): Promise<Finding[]> {
  const { options, platform, print, faults } = bench
  print(`\nProbes, ${connections} connections, ${options.rounds} rounds in turn`)
  const generator = await startRequestGenerator()
  const bare = startWorker(new URL('bare-probe.ts', import.meta.url))
  const database = new pg.Client({ connectionString: platform.database.url('usher') })
  await database.connect()
  try {
    const { port } = await nextMessage<{ port: number }>(bare, 30_000)
    const tokens = await signIn(platform, database, signedIn)
    const ofNobody = { requests: probeRequests(platform), start: '{"status":"unauthenticated"}' }
    const ofSomebody = {
      requests: probeRequests(platform, tokens),
      start: '{"status":"authenticated","code":"',
    }

    const run = async (toPort: number, { requests, start }: { requests: string[]; start: string }) => {
      const job: RequestJob = {
        port: toPort,
        requests,
        repeat: true,
        connections,
        warmUpMs: options.warmUpMs,
        measureMs: options.roundMs,
        expected: { status: 200, start },
      }
      const { result, cores } = await coresUsed(platform, () => generator.run(job))
      for (const [error, count] of Object.entries(result.errors))
        faults.push(`${count} × ${error} (from ${toPort === port ? 'the bare route' : 'the platform'})`)
      return { result, text: showCores(cores, result.cpuS / result.measuredS) }
    }
    const countCodes = async () =>
      Number((await database.query('select count(*) from authorization_codes')).rows[0]?.count)
    const measure = async (): Promise<Round> => {
      const seen: Round = { bare: [], nobody: [], somebody: [] }
      // The first is for all that is compiled, planned and cached at first use.
      for (let round = 0; round <= options.rounds; round++) {
        const ofBare = await run(port, ofNobody)
        const nobody = await run(platform.port, ofNobody)
        const codesBefore = await countCodes()
        const somebody = await run(platform.port, ofSomebody)
        const codes = (await countCodes()) - codesBefore
        if (codes < somebody.result.requests)
          faults.push(`${somebody.result.requests} codes were given, and ${codes} stored`)
        print(
          `  ${round || 'unmeasured'}: bare ${show(perSecond(ofBare.result))}/s; nobody ${show(perSecond(nobody.result))}/s ` +
            `(${nobody.text}); signed in ${show(perSecond(somebody.result))}/s (${somebody.text})`,
        )
        if (round === 0) continue
        seen.bare.push(ofBare.result)
        seen.nobody.push(nobody.result)
        seen.somebody.push(somebody.result)
      }
      return seen
    }
    const few = await measure()
    print(`  with ${show(options.storedSessions)} more sessions stored:`)
    await storeOthers(database, options.storedSessions)
    const many = await measure()
    return findings(few, many, options.storedSessions)
  } finally {
    await database.end()
    await endChild(bare)
    await generator.stop()
  }
}

function findings(few: Round, many: Round, stored: number): Finding[] {
  const showAll = (results: readonly RequestResult[]) =>
    `${show(rateOf(results))}/s, p50 ${show(latencyOf(results, 0.5), 1)} ms, p99 ${show(latencyOf(results, 0.99), 1)} ms`
  const ofBare = ratioOf(few.nobody, few.bare)
  const rival = ({ bare }: Round) => `bare Fastify route ${show(rateOf(bare))}/s`
  const p99Ms = latencyOf(few.somebody, 0.99)
  // Of each the share of the bare route beside it: the machine is not the same from one minute to the next.
  const slower = ratioOf(few.somebody, few.bare) / ratioOf(many.somebody, many.bare)
  return [
    {
      what: `probes, nobody signed in, ${connections} connections`,
      target: `≥ ${targets.ofBare}`,
      seen: showAll(few.nobody),
      ratio: show(ofBare, 2),
      rival: rival(few),
      isMet: ofBare >= targets.ofBare,
    },
    {
      what: `probes, signed in, a code stored for each, ${connections} connections`,
      target: `≥ ${show(targets.perS)}/s, p99 ≤ ${targets.p99Ms} ms`,
      seen: showAll(few.somebody),
      ratio: show(ratioOf(few.somebody, few.bare), 2),
      rival: rival(few),
      isMet: rateOf(few.somebody) >= targets.perS && p99Ms <= targets.p99Ms,
    },
    {
      what: `the same with ${show(stored)} sessions stored: its time to that before, beside the bare route`,
      target: `≤ ${targets.ofFew}`,
      seen: `${show(slower, 2)}; ${showAll(many.somebody)}`,
      ratio: show(ratioOf(many.somebody, many.bare), 2),
      rival: rival(many),
      isMet: slower <= targets.ofFew,
    },
  ]
}
