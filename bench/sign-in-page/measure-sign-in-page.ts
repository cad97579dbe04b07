import pg from 'pg'
import { challenge, client } from '../exchanges/code-server.ts'
import { startRequestGenerator } from '../exchanges/request-generator.ts'
import type { RequestJob, RequestResult } from '../exchanges/request-job.ts'
import { latencyAt, mergeLatencies } from '../load/latencies.ts'
import type { Bench } from '../measure/bench.ts'
import { coresUsed, showCores } from '../measure/cores-used.ts'
import type { Platform } from '../platform/start-platform.ts'
import { endChild, nextMessage, startWorker } from '../process/children.ts'
import { type Finding, show } from '../report/findings.ts'
import { median } from '../report/statistics.ts'

const connections = 32
const targetPerS = 2_500

const perSecond = ({ requests, measuredS }: RequestResult): number => requests / measuredS

/** The request of a browser that a client sent here, and that was never here before. */
export function authorizeRequest({ port, tenant }: Pick<Platform, 'port' | 'tenant'>): string {
  const query = new URLSearchParams({
    client_id: client.id,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    state: 'k58JlcNF7rMzE7vYtVPVVYyIACDVjg7PArne6z_DIFE',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  return [
    `GET /oauth/authorize?${query} HTTP/1.1`,
    `Host: ${tenant.domain}:${port}`,
    'Connection: keep-alive',
    'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-GB,en;q=0.9',
    '',
    '',
  ].join('\r\n')
}

/** The sign-in page, with its flow stored, over 32 connections, beside a bare Fastify route that answers a page of the same
 *  size: in turn, several rounds. */
export async function measureSignInPage(bench: Bench): Promise<Finding[]> {
  const { options, platform, print, faults } = bench
  print(`\nThe sign-in page, ${connections} connections, ${options.rounds} rounds in turn`)
  const generator = await startRequestGenerator()
  const bare = startWorker(new URL('bare-page.ts', import.meta.url))
  const database = new pg.Client({ connectionString: platform.database.url('usher') })
  await database.connect()
  const countFlows = async () =>
    Number((await database.query('select count(*) from sign_in_flows')).rows[0]?.count)
  const job: Omit<RequestJob, 'port'> = {
    requests: [authorizeRequest(platform)],
    repeat: true,
    connections,
    warmUpMs: options.warmUpMs,
    measureMs: options.roundMs,
    expected: { status: 200, start: '<!doctype html>' },
  }
  const run = async (port: number): Promise<RequestResult> => {
    const result = await generator.run({ ...job, port })
    for (const [error, count] of Object.entries(result.errors))
      faults.push(`${count} × ${error} (from ${port === platform.port ? 'the platform' : 'the bare route'})`)
    return result
  }
  try {
    const { sample = '' } = await run(platform.port)
    bare.process.send({ bytes: Buffer.byteLength(sample, 'latin1') })
    const { port } = await nextMessage<{ port: number }>(bare, 30_000)
    await run(port)

    const bareResults: RequestResult[] = []
    const results: RequestResult[] = []
    for (let round = 1; round <= options.rounds; round++) {
      const bareResult = await run(port)
      const flowsBefore = await countFlows()
      const { result, cores } = await coresUsed(platform, () => run(platform.port))
      const flows = (await countFlows()) - flowsBefore
      if (flows < result.requests)
        faults.push(`${result.requests} sign-in pages were answered, and ${flows} flows stored`)
      bareResults.push(bareResult)
      results.push(result)
      print(
        `  ${round}: bare ${show(perSecond(bareResult))}/s, platform ${show(perSecond(result))}/s, ratio ` +
          `${show(perSecond(result) / perSecond(bareResult), 3)}; ${showCores(cores, result.cpuS / result.measuredS)}`,
      )
    }
    const rate = median(results.map(perSecond))
    const ratio = median(
      results.map((result, round) => perSecond(result) / perSecond(bareResults[round] ?? result)),
    )
    const latencies = mergeLatencies(results.map(result => result.latencies))
    return [
      {
        what: `sign-in page of ${show(Buffer.byteLength(sample, 'latin1') / 1024, 1)} KiB, its flow stored, ${connections} connections`,
        target: `≥ ${show(targetPerS)}/s`,
        seen: `${show(rate)}/s, p50 ${show(latencyAt(latencies, 0.5), 1)} ms, p99 ${show(latencyAt(latencies, 0.99), 1)} ms`,
        ratio: show(ratio, 2),
        rival: `bare Fastify route ${show(median(bareResults.map(perSecond)))}/s`,
        isMet: rate >= targetPerS,
      },
    ]
  } finally {
    await database.end()
    await endChild(bare)
    await generator.stop()
  }
}
