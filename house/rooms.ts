import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseOptions } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import rules from '../.dependency-cruiser.mjs'

/** The folders with code of ours; one that is not there yet is passed over. */
const folders = ['contract', 'server', 'sdk', 'console', 'consumer', 'examples', 'e2e', 'bench', 'house']

export interface Violation {
  rule: string
  from: string
  to: string
}

export interface RoomsReport {
  violations: Violation[]
  /** Modules that were looked into, relative to the root. */
  cruised: string[]
  /** Files on the disk that the tool passed over. */
  unseen: string[]
  /** Files of packages that were imported, as they were resolved. */
  packages: string[]
}

/** Looks through the code below `root` with the import rules of `.dependency-cruiser.mjs`. */
export async function checkRooms(root: string): Promise<RoomsReport> {
  const present = folders.filter(folder => existsSync(join(root, folder)))
  const onDisk = globSync(
    present.map(folder => `${folder}/**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx}`),
    { cwd: root, exclude: name => /(?:^|[\\/])(?:node_modules|dist|coverage)$/.test(name) },
  ).map(path => path.replaceAll('\\', '/'))
  const { options, forbidden } = rules
  const cruiseOptions: ICruiseOptions = {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: forbidden ?? [] },
    tsConfig: { fileName: join(import.meta.dirname, '../tsconfig.json') },
  }
  const { output } = await cruise(present, cruiseOptions, options?.enhancedResolveOptions ?? {}, {
    tsConfig: extractTSConfig(join(import.meta.dirname, '../tsconfig.json')),
  })
  if (typeof output === 'string') throw new Error('dependency-cruiser answered text in place of a result.')
  const looked = new Set(output.modules.map(module => module.source))
  return {
    violations: output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
    cruised: onDisk.filter(path => looked.has(path)),
    unseen: onDisk.filter(path => !looked.has(path)),
    packages: [...looked].filter(path => path.includes('node_modules/')),
  }
}

/** What is wrong, a line each; empty when all is well. A tool that saw nothing, or not everything, has
 *  shown nothing: dependency-cruiser itself reports success on 0 modules (docs/adr/0001). */
export function faultsOf({ violations, cruised, unseen }: Omit<RoomsReport, 'packages'>): string[] {
  const faults = violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`)
  if (cruised.length === 0) faults.push('No module was looked at, so nothing was checked.')
  for (const path of unseen) faults.push(`Not looked at: ${path}`)
  return faults
}

/** The comment of a rule, to say beside a violation why it is one. */
export function reasonOf(rule: string): string {
  return rules.forbidden?.find(({ name }) => name === rule)?.comment ?? ''
}

/** The names of all rules. */
export function ruleNames(): string[] {
  return (rules.forbidden ?? []).flatMap(({ name }) => name ?? [])
}
