import { writeFile } from 'node:fs/promises'
import { documentPath, renderDocument } from './committed-document.ts'

await writeFile(documentPath, await renderDocument())
