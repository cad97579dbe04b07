import { parseArgs } from 'node:util'

export const partNames = [
  'single',
  'batches',
  'queue',
  'consumer',
  'sdk',
  'silent-in-page',
  'exchanges',
  'openid-exchanges',
  'sign-in-page',
  'probes',
  'memory',
] as const
export type PartName = (typeof partNames)[number]

/** How long and how often is measured. */
export interface Lengths {
  rounds: number
  warmUpMs: number
  roundMs: number
  /** Depths of the queue. */
  depths: readonly [number, number]
  /** Of GET, at each depth, after as many unmeasured ones as `warmUpReads`. */
  reads: number
  warmUpReads: number
  /** Of DELETE, of each size at each depth. */
  removals: number
  /** What the consumers empty, each so often; pg-boss, once, fewer: it takes minutes for what others do in seconds. */
  consumedEvents: number
  bossEvents: number
  consumerRounds: number
  /** Of a page with each script. */
  pageLoads: number
  /** Beside those of the probes that are measured. */
  storedSessions: number
  memoryMs: number
  minFreeGiB: number
}

const full: Lengths = {
  rounds: 6,
  warmUpMs: 2_000,
  roundMs: 6_000,
  depths: [10_000, 1_000_000],
  reads: 100,
  warmUpReads: 30,
  removals: 60,
  consumedEvents: 1_000_000,
  bossEvents: 100_000,
  consumerRounds: 5,
  pageLoads: 40,
  storedSessions: 1_000_000,
  memoryMs: 5 * 60_000,
  minFreeGiB: 25,
}
/** To see that it works; its figures say little. */
const quick: Lengths = {
  rounds: 2,
  warmUpMs: 1_000,
  roundMs: 2_000,
  depths: [10_000, 100_000],
  reads: 20,
  warmUpReads: 10,
  removals: 10,
  consumedEvents: 100_000,
  bossEvents: 20_000,
  consumerRounds: 2,
  pageLoads: 8,
  storedSessions: 100_000,
  memoryMs: 30_000,
  minFreeGiB: 5,
}

export const usage = `npm run bench -- [--quick] [--only ${partNames.join(',')}] [--memory-minutes 5]

  --quick            short rounds, to see that it works; its figures say little
  --only             some of the parts: ${partNames.join(', ')}
  --memory-minutes   how long the memory is watched under load`

export interface Options extends Lengths {
  isQuick: boolean
  parts: readonly PartName[]
  needsHelp: boolean
}

/** Reads the command line. Throws an Error that says what is wrong with it. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      'memory-minutes': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const parts = values.only?.split(',').map(name => {
    const part = partNames.find(known => known === name)
    if (!part) throw new Error(`--only names the part "${name}"; there are ${partNames.join(', ')}`)
    return part
  })
  const minutes = values['memory-minutes'] === undefined ? undefined : Number(values['memory-minutes'])
  if (minutes !== undefined && !(minutes >= 0.5 && minutes <= 600))
    throw new Error('--memory-minutes must be a number from 0.5 to 600')
  return {
    ...(values.quick ? quick : full),
    ...(minutes !== undefined && { memoryMs: minutes * 60_000 }),
    isQuick: values.quick,
    parts: parts ?? partNames,
    needsHelp: values.help,
  }
}
