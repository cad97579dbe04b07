import { fileURLToPath } from 'node:url'
import { buildDescribedApp } from './described-app.ts'

/** Where the description of the API is kept in the repository, for generators and reviews. */
export const documentPath = fileURLToPath(import.meta.resolve('../../../docs/openapi.json'))

/** The description of the API as it is kept: indented, with a line break at its end. */
export async function renderDocument(): Promise<string> {
  const app = await buildDescribedApp()
  try {
    return `${JSON.stringify(app.swagger(), null, 2)}\n`
  } finally {
    await app.close()
  }
}
