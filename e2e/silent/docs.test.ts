import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { startProgram } from '../start-program.ts'
import { startSilent } from './start-silent.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const page = await readFile(new URL('../../docs/silent-sign-in.md', import.meta.url), 'utf8')
const codeOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

test.skipIf(needsProgram('chromium'))(
  'docs/silent-sign-in.md greets a member with what it says and nothing else',
  { timeout: 90_000 },
  async () => {
    const silent = await startSilent(findProgram('chromium') ?? '')
    closing.push(silent.close)
    const folder = await mkdtemp(join(tmpdir(), 'usher-docs-'))
    closing.push(() => rm(folder, { recursive: true }))
    // Its example's names, in place of which stand those of this machine.
    const here = (text: string) =>
      text
        .replaceAll('https://members.example.com', silent.tenantUrl)
        .replaceAll('https://news.example.com/', 'http://127.0.0.1/')
        .replaceAll('https://news.example.com', silent.free.origin)
        .replaceAll('members.example.com', 'members.acme.localhost')
        .replaceAll('example.com', 'acme.localhost')
        .replace('slug: example', 'slug: acme')
        // The demo has one of that name already.
        .replace('client_id: news', 'client_id: paper')
        .replace("clientId: 'news'", "clientId: 'paper'")
        .replace('name: Example News\n    domain', 'name: Acme Daily\n    domain')
    const file = join(folder, 'platform.yaml')
    await writeFile(file, here(codeOf('yaml')))
    const { port, dataDir } = silent.platform
    const env = { USHER_PORT: `${port}`, USHER_DATA_DIR: dataDir }
    const apply = startProgram('server/src/cli.ts', env, { args: ['apply', file] })
    expect(await apply.finish(), apply.lines.join('\n')).toBe(0)
    const [, made = ''] = (await apply.line(/secret\D*?(\S{32,})/)) ?? []
    expect(made, apply.lines.join('\n')).not.toBe('')

    await writeFile(join(folder, 'page.html'), here(codeOf('html')))
    await writeFile(join(folder, 'server.mjs'), here(codeOf('js')))
    // Node asks the system for names below .localhost, and not every system knows them.
    const fetchFile = new URL('../../examples/fetch-localhost.ts', import.meta.url)
    await writeFile(
      join(folder, 'names.mjs'),
      `import { fetchLocalhost } from '${fetchFile}'\nglobalThis.fetch = fetchLocalhost\n`,
    )
    const site = spawn(process.execPath, ['--import', './names.mjs', 'server.mjs'], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ISSUER: silent.tenantUrl,
        CLIENT_ID: 'paper',
        CLIENT_SECRET: made,
        REDIRECT_URI: 'http://127.0.0.1/signed-in',
        PORT: silent.free.port,
      },
    })
    const over = once(site, 'close')
    closing.push(async () => {
      site.kill()
      await over
    })
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${silent.free.port}/`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)

    const visit = await silent.openVisit()
    const opened = await visit.newPage()
    await opened.goto(silent.free.origin)
    const reader = () => opened.locator('#reader').textContent()
    expect(await reader()).toBe('')
    // By the event, as the page is open already.
    const email = await silent.signIn(visit)
    await expect.poll(reader).toBe(email)
    await opened.reload()
    await expect.poll(reader).toBe(email)
    await opened.evaluate(() => (window.usher as unknown as { signOut(): Promise<boolean> }).signOut())
    await expect.poll(reader).toBe('')

    // Where the file is blocked, a member is a stranger, and nothing fails.
    await silent.signIn(visit)
    await visit.route('**/sdk-sign-in.js', route => route.abort('blockedbyclient'))
    const faults: string[] = []
    opened.on('pageerror', ({ message }) => faults.push(message))
    await opened.reload()
    expect([await reader(), faults]).toEqual(['', []])
  },
)

test('docs/silent-sign-in.md links to what is there', async () => {
  const links = [...page.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, path]) => path ?? '')
  expect(links.length).toBeGreaterThan(2)
  for (const path of links) await access(new URL(path, new URL('../../docs/', import.meta.url)))
})
