import { describe, expect, test } from 'vitest'
import { createViewRule, type Navigation } from './page-views.ts'

const START = 'https://news.example/sport?page=1#top'

describe('a change of address within a page is a view', () => {
  test.for<[string, Navigation, string, boolean]>([
    ['a new path is pushed', 'push', 'https://news.example/sport/table', true],
    ['a new query is pushed', 'push', 'https://news.example/sport?page=2', true],
    ['the query is dropped', 'push', 'https://news.example/sport', true],
    ['only the fragment changes', 'push', 'https://news.example/sport?page=1#end', false],
    ['the same address is pushed', 'push', START, false],
    ['the path is replaced', 'replace', 'https://news.example/sport/table?page=1', true],
    ['only the query is replaced', 'replace', 'https://news.example/sport?page=2', false],
    ['the reader goes back to another path', 'traverse', 'https://news.example/', true],
    ['the reader goes back to another query', 'traverse', 'https://news.example/sport?page=0', true],
    ['the reader goes back to another fragment', 'traverse', 'https://news.example/sport?page=1', false],
  ])('when %s', ([, navigation, url, isView]) => {
    expect(createViewRule(START)(url, navigation)).toBe(isView)
  })

  test('once, when an application pushes a path and then replaces it with itself', () => {
    const counts = createViewRule(START)
    expect(counts('https://news.example/next', 'push')).toBe(true)
    expect(counts('https://news.example/next', 'replace')).toBe(false)
  })

  test('compared with the address as last replaced', () => {
    const counts = createViewRule(START)
    counts('https://news.example/sport?page=2', 'replace')
    expect(counts('https://news.example/sport?page=2', 'push')).toBe(false)
  })
})
