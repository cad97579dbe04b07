import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { declareEventRecord } from './declare-event-record.ts'

// Builds what the package ships into dist/: JavaScript for Node 20 and later, and types that need no other package.

const root = join(import.meta.dirname, '..')
const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
  declaration: true,
}

rmSync(join(root, 'dist'), { recursive: true, force: true })
const files = globSync('**/*.ts', { cwd: join(root, 'src') }).filter(
  path => !/\.test\.ts$|^testing[\\/]/.test(path),
)
for (const path of files) {
  const fileName = join(root, 'src', path)
  const source = readFileSync(fileName, 'utf8')
  const write = (extension: string, text: string) => {
    const target = join(root, 'dist', path.replace(/\.ts$/, extension))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
  write('.js', ts.transpileModule(source, { fileName, compilerOptions }).outputText)
  if (path === 'event-record.ts') write('.d.ts', declareEventRecord(fileName))
  else write('.d.ts', declarationOf(source, fileName))
}

/** A file's types, which the file has to state by itself. Throws where it leaves one to be inferred. */
function declarationOf(source: string, fileName: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    fileName,
    compilerOptions: { ...compilerOptions, isolatedDeclarations: true },
    reportDiagnostics: true,
  })
  for (const { messageText } of diagnostics)
    throw new Error(`${fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
  // As a strict importer wants them, which takes no .ts in a path.
  return outputText.replace(/(from ['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2')
}
