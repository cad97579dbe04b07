import { expect } from 'vitest'
import { type ExpectedOperation, etag, length } from './expected-operation.ts'

const anyPage = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

const script = (name: string): Record<string, ExpectedOperation> => ({
  [`GET /${name}.js`]: {
    site: 'tenant',
    key: 'none',
    status: 200,
    answerHeaders: {
      ...anyPage,
      etag,
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': length,
      'content-location': expect.stringMatching(new RegExp(`^/${name}-[\\w-]{22}\\.js$`)),
      vary: 'accept-encoding',
    },
  },
  // A version that is not there; scripts.routes.test.ts asks for one that is.
  [`GET /${name}-:hash.js`]: {
    site: 'tenant',
    key: 'none',
    status: 302,
    answerHeaders: {
      ...anyPage,
      'cache-control': 'public, max-age=300',
      'content-length': '0',
      location: `/${name}.js`,
    },
    undocumented: `It is named by the Content-Location of GET /${name}.js.`,
  },
})

/** The files of the browser SDK. */
export const scriptOperations: Record<string, ExpectedOperation> = {
  ...script('sdk'),
  ...script('sdk-sign-in'),
}
