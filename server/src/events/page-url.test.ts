import { describe, expect, test } from 'vitest'
import { readPageUrl, secretParameterNames } from './page-url.ts'

const secrets = secretParameterNames(['Reset_Key'])

describe('the stored page URL (decisions, "Events")', () => {
  test.for([
    ['as sent', 'https://News.example.com/a?b=1&b=2#c', 'https://News.example.com/a?b=1&b=2#c'],
    ['userinfo', 'https://ann:secret@news.example.com/a', 'https://news.example.com/a'],
    ['a user alone', 'https://ann@news.example.com/a@b', 'https://news.example.com/a@b'],
    [
      'userinfo behind backslashes',
      'https:\\\\ann:secret@news.example.com/a',
      'https:\\\\news.example.com/a',
    ],
    ['an @ in the password', 'https://ann:p@ss@news.example.com/', 'https://news.example.com/'],
    ['access_token', 'https://n.example/a?x=1&access_token=t&y=2', 'https://n.example/a?x=1&y=2'],
    ['the only parameter', 'https://n.example/a?id_token=t', 'https://n.example/a'],
    [
      'the only parameter, before a fragment',
      'https://n.example/a?password=t#top',
      'https://n.example/a#top',
    ],
    ['each of several', 'https://n.example/?refresh_token=a&password=b&k=c', 'https://n.example/?k=c'],
    ['other case', 'https://n.example/?Access_Token=t&k', 'https://n.example/?k'],
    ['percent encoding', 'https://n.example/?%61ccess_token=t&k', 'https://n.example/?k'],
    ['a code beside a state', 'https://n.example/cb?code=c&state=s', 'https://n.example/cb?state=s'],
    ['not a code alone', 'https://n.example/cb?code=1234', 'https://n.example/cb?code=1234'],
    ['in the fragment', 'https://n.example/#access_token=t&k=1', 'https://n.example/#k=1'],
    ['behind a path in the fragment', 'https://n.example/#/cb?access_token=t&k=1', 'https://n.example/#k=1'],
    ['what the tenant lists', 'https://n.example/?reset_key=t&k=1', 'https://n.example/?k=1'],
    ['a broken percent sign', 'https://n.example/?%zz=1&password=2', 'https://n.example/?%zz=1'],
  ] as const)('cuts %s', ([, sent, stored]) => {
    expect(readPageUrl(sent, secrets)?.url).toBe(stored)
  })

  test('has hostname and path as the WHATWG parser gives them', () => {
    expect(readPageUrl('http://BÜCHER.example:8080/Straße/../ä?q', secrets)).toEqual({
      url: 'http://BÜCHER.example:8080/Straße/../ä?q',
      hostname: 'xn--bcher-kva.example',
      path: '/%C3%A4',
    })
  })

  test.for([
    ['a relative one', '/a'],
    ['another scheme', 'ftp://n.example/'],
    ['javascript:', 'javascript:alert(1)'],
    ['no host', 'https://'],
    ['a space', 'https://n.example/a b'],
    ['a line break inside the scheme', 'ht\ntps://n.example/'],
    ['a tab', 'https://n.example/\t'],
    ['a port that is none', 'https://n.example:99999/'],
  ] as const)('refuses %s', ([, sent]) => {
    expect(readPageUrl(sent, secrets)).toBeUndefined()
  })
})
