import { access, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import type { SignIn } from '../../sdk/src/sign-in/api.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { startCommand } from '../partner/start-written-app.ts'
import { shellBlocks } from '../shell-blocks.ts'
import { startSilent } from './start-silent.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const page = await readFile(new URL('../../docs/silent-sign-in.md', import.meta.url), 'utf8')
const codeOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

test.skipIf(needsProgram('chromium') || needsProgram('bash'))(
  'docs/silent-sign-in.md greets a member with what it says and nothing else',
  { timeout: 90_000 },
  async () => {
    const silent = await startSilent(findProgram('chromium') ?? '')
    closing.push(silent.close)
    const folder = await mkdtemp(join(tmpdir(), 'usher-docs-'))
    closing.push(() => rm(folder, { recursive: true }))
    const { port, dataDir } = silent.platform
    // Where http redirect URIs may be.
    const local = `http://127.0.0.1:${silent.free.port}`
    /** With the names of the demo, as the page's own table has them, and this platform's ports. */
    const here = (text: string) =>
      text
        .replaceAll('https://members.example.com', 'http://members.acme.localhost:3000')
        .replaceAll('https://news.example.com/', 'http://127.0.0.1:4200/')
        .replaceAll('https://news.example.com', 'http://news.acme.localhost:4200')
        .replaceAll('members.example.com', 'members.acme.localhost')
        .replaceAll('example.com', 'acme.localhost')
        .replace('slug: example', 'slug: acme')
        .replace('client_id: news', 'client_id: paper')
        .replace("clientId: 'news'", "clientId: 'paper'")
        .replace('name: Example News\n    domain', 'name: Acme Daily\n    domain')
        .replaceAll(':3000', `:${port}`)
        .replaceAll('4200', silent.free.port)
    await writeFile(join(folder, 'news.yaml'), here(codeOf('yaml')))
    await writeFile(join(folder, 'page.html'), here(codeOf('html')))
    await writeFile(join(folder, 'server.mjs'), here(codeOf('js')))
    for (const name of ['node_modules', 'examples'])
      await symlink(fileURLToPath(new URL(`../../${name}`, import.meta.url)), join(folder, name), 'junction')
    const [apply = '', start = ''] = shellBlocks(page)
    const env = { USHER_PORT: `${port}`, USHER_DATA_DIR: dataDir }
    const applied = startCommand(apply.replace('news.yaml', join(folder, 'news.yaml')), { env })
    closing.push(applied.end)
    await expect.poll(applied.stdout).toMatch(/secret of client paper .*: \S{32,}\n/)
    const [, made = ''] = /secret of client paper .*: (\S{32,})\n/.exec(applied.stdout()) ?? []
    const site = startCommand(here(start).replace('the-secret-that-was-printed', made), { cwd: folder, env })
    closing.push(site.end)
    await expect
      .poll(() =>
        fetch(local).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)

    const visit = await silent.openVisit()
    const opened = await visit.newPage()
    // Neither a code that is none nor a body that is none ends the server.
    const post = (body: string) =>
      fetch(`${local}/session`, { method: 'POST', body }).then(({ status }) => status)
    expect([await post('{"code":"none"}'), await post('none'), await post('{"code":"none"}')]).toEqual([
      401, 503, 401,
    ])
    await opened.goto(silent.free.origin)
    const reader = () => opened.locator('#reader').textContent()
    expect(await reader()).toBe('')
    // By the event, as the page is open already.
    const email = await silent.signIn(visit)
    await expect.poll(reader).toBe(email)
    await opened.reload()
    await expect.poll(reader).toBe(email)
    await opened.evaluate(() => (window.usher as unknown as SignIn).signOut())
    await expect.poll(reader).toBe('')

    // With a redirect and back, the same server takes what the way back brought.
    const redirected = await (await silent.openVisit()).newPage()
    await redirected.goto(local)
    await redirected.evaluate(() => {
      void (window.usher as unknown as SignIn).signIn({
        clientId: 'paper',
        redirectUri: `${location.origin}/signed-in`,
      })
    })
    const other = await silent.typeSignIn(redirected)
    await redirected.waitForURL(`${local}/signed-in?**`)
    const session = await redirected.evaluate(async () => {
      const answer = await (window.usher as unknown as SignIn).completeSignIn()
      return (await fetch('/session', { method: 'POST', body: JSON.stringify(answer) })).text()
    })
    expect(session).toBe(other)

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
