import { describe, expect, test } from 'vitest'
import { placeJob } from './job-definition.ts'

describe('placeJob', () => {
  test.for([
    [['high', 'default', 'bulk'], { high: 'high', default: 'default', bulk: 'bulk' }],
    [['urgent', 'normal', 'slow'], { high: 'urgent', default: 'normal', bulk: 'slow' }],
    [['urgent', 'default', 'a', 'b'], { high: 'urgent', default: 'default', bulk: 'b' }],
    [['first', 'second'], { high: 'first', default: 'first', bulk: 'second' }],
    [['only'], { high: 'only', default: 'only', bulk: 'only' }],
  ] as const)('places jobs on %j', ([queues, places]) => {
    expect({
      high: placeJob('high', queues),
      default: placeJob('default', queues),
      bulk: placeJob('bulk', queues),
    }).toEqual(places)
  })

  test('needs a queue', () => {
    expect(() => placeJob('high', [])).toThrow('USHER_QUEUES')
  })
})
