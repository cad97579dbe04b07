import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuerOf, oauthRefusal } from '../../testing/oauth-platform.ts'
import {
  createOpenIdPlatform,
  isContinuePage,
  isSignInPage,
  type OpenIdPlatform,
  openid,
} from '../../testing/openid-platform.ts'
import { authorizePath, newAddress } from '../../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf } from '../../testing/visitor.ts'

// Of the basic profile's list: whom it asks again, and whom not.

let platform: OpenIdPlatform
beforeAll(async () => {
  platform = await createOpenIdPlatform()
})
afterAll(() => platform.close())

describe('oidcc-prompt-login', () => {
  test('asks who is signed in, and auth_time is that of the new sign-in', async () => {
    const visitor = platform.visit()
    const email = newAddress()
    const first = await platform.read(await platform.redeem(await platform.arrive(visitor, {}, email)))
    await platform.ageSignIns(first.sub, 100)
    const second = await platform.read(
      await platform.redeem(await platform.arrive(visitor, { prompt: 'login' }, email)),
    )
    expect(second.sub).toBe(first.sub)
    expect(second.sid).not.toBe(first.sid)
    expect(second.auth_time).toBeGreaterThanOrEqual(Number(first.auth_time))
  })
})

describe('oidcc-prompt-none-not-logged-in', () => {
  test('is login_required', async () => {
    expect(await platform.askSilently(platform.visit())).toEqual({
      ...oauthRefusal('login_required'),
      state: 'st&te=1',
      iss: issuerOf(),
    })
  })
})

describe('oidcc-prompt-none-logged-in', () => {
  test('is the same member with the same auth_time, without a page', async () => {
    const visitor = platform.visit()
    const first = await platform.read(await platform.redeem(await platform.arrive(visitor)))
    const second = await platform.read(
      await platform.redeem(await platform.askSilently(visitor, { nonce: 'n' })),
    )
    expect(second).toMatchObject({ sub: first.sub, auth_time: first.auth_time, sid: first.sid, nonce: 'n' })
  })
})

describe('oidcc-max-age-1', () => {
  test('asks a member who signed in longer ago to sign in again', async () => {
    const visitor = platform.visit()
    const email = newAddress()
    const first = await platform.read(await platform.redeem(await platform.arrive(visitor, {}, email)))
    await platform.ageSignIns(first.sub, 100)
    expect(await platform.askSilently(visitor, { max_age: '1' })).toMatchObject({ error: 'login_required' })
    const page = await visitor.get(authorizePath(openid({ max_age: '1' })))
    expect([isSignInPage(page.body), isContinuePage(page.body)]).toEqual([true, false])
    const second = await platform.read(
      await platform.redeem(await platform.arrive(visitor, { max_age: '1' }, email)),
    )
    expect(second.sub).toBe(first.sub)
    expect(Number(second.auth_time)).toBeGreaterThan(Number(first.auth_time) - 100)
  })

  test('does not continue as somebody whose sign-in became too old on the page', async () => {
    const visitor = platform.visit()
    await platform.arrive(visitor)
    const page = await visitor.get(authorizePath(openid({ max_age: '100' })))
    expect(isContinuePage(page.body)).toBe(true)
    const [action = ''] = actionsOf(page.body)
    // As if the page had stood there for so long.
    await platform.database.pool.query('update sign_in_flows set max_age_s = 0 where max_age_s = 100')
    const form = { action: 'continue', member: hiddenOf(page.body, 'member') }
    const answer = await visitor.post(action, form)
    expect([answer.statusCode, answer.headers.location]).toEqual([303, action.replace('/continue', '')])
  })

  test.for(['x', '-1', '1.5', '1 2'])('max_age %j is invalid_request', async maxAge => {
    expect(await platform.askSilently(platform.visit(), { max_age: maxAge })).toMatchObject({
      error: 'invalid_request',
    })
  })

  test('max_age 0 is as prompt=login, and one of any length is none at all', async () => {
    const visitor = platform.visit()
    await platform.arrive(visitor)
    expect(isSignInPage((await visitor.get(authorizePath(openid({ max_age: '0' })))).body)).toBe(true)
    const long = await visitor.get(authorizePath(openid({ max_age: '9'.repeat(400) })))
    expect(isContinuePage(long.body)).toBe(true)
  })
})

describe('oidcc-max-age-10000', () => {
  test('does not ask one who signed in later, and auth_time stays', async () => {
    const visitor = platform.visit()
    const first = await platform.read(await platform.redeem(await platform.arrive(visitor)))
    const second = await platform.read(
      await platform.redeem(await platform.askSilently(visitor, { max_age: '10000' })),
    )
    expect(second.auth_time).toBe(first.auth_time)
    const page = await visitor.get(authorizePath(openid({ max_age: '10000' })))
    expect(isContinuePage(page.body)).toBe(true)
  })
})
