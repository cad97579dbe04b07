import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Locked {
  version?: string
  resolved?: string
  link?: boolean
  integrity?: string
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
}
interface Manifest {
  workspaces?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  allowScripts?: Record<string, boolean>
}

const manifest: Manifest = JSON.parse(read('package.json'))
const { packages: locked }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))
const installed = Object.entries(locked).filter(([path]) => path.includes('node_modules/'))
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

describe('npm ci on a fresh clone', () => {
  test('asks whatever registry the machine is set to: none is named here', () => {
    expect(installed.filter(([, { link, resolved }]) => !link && resolved !== undefined)).toEqual([])
    expect(read('package-lock.json')).not.toMatch(/"(?:resolved|version)": "[a-z+]+:/)
    expect(read('.npmrc')).not.toMatch(/registry\s*=|:\/\/|^@/m)
  })

  test('installs what was locked, byte for byte', () => {
    const unsealed = installed.filter(([, { link, integrity }]) => !link && !integrity)
    expect(unsealed.map(([path]) => path)).toEqual([])
  })

  // A lock made where a package's variants for other systems could not be seen is refused by npm ci as
  // "not in sync", on every machine.
  test('finds the variants for every system in the lock', () => {
    const names = new Set(installed.map(([path]) => nameOf(path)))
    const missing = installed.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter(name => !names.has(name))
        .map(name => `${name} of ${nameOf(path)}`),
    )
    expect(missing).toEqual([])
  })

  // npm 11 does not run an install script that is not named, and names, unlike patterns, are what it knows.
  test('runs every install script, as each is named in allowScripts', () => {
    const unnamed = installed
      .filter(([path, { hasInstallScript }]) => hasInstallScript && !manifest.allowScripts?.[nameOf(path)])
      .map(([path]) => nameOf(path))
    expect(unnamed).toEqual([])
  })

  test('takes exact versions', () => {
    const manifests = ['', ...(manifest.workspaces ?? [])].flatMap(workspace =>
      globSync(join(workspace, 'package.json').replaceAll('\\', '/'), { cwd: root }),
    )
    expect(manifests.length).toBeGreaterThan(3)
    const loose = manifests.flatMap(path => {
      const { dependencies, devDependencies }: Manifest = JSON.parse(read(path))
      return Object.entries({ ...dependencies, ...devDependencies })
        .filter(
          ([name, version]) =>
            !(name.startsWith('@usher/') ? version === '*' : /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)),
        )
        .map(([name, version]) => `${path}: ${name} ${version}`)
    })
    expect(loose).toEqual([])
  })

  test.for(['npm ci && npm start', 'npm ci && npm test'])('is told by the README: %s', command => {
    expect(read('README.md').split('\n')).toContain(command)
  })
})
