import { EventRecord } from '@usher/contract'
import ts from 'typescript'

/**
 * The type EventRecord that a file exports, written out with what the contract says of each field: who installs the
 * package has no contract.
 */
export function declareEventRecord(fileName: string): string {
  const program = ts.createProgram([fileName], {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(fileName)
  const module = file && checker.getSymbolAtLocation(file)
  const exported = module && checker.getExportsOfModule(module).find(({ name }) => name === 'EventRecord')
  if (!exported) throw new Error(`${fileName} exports no EventRecord.`)
  const type = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(exported))
  const fieldsOfType = new Map(type.getProperties().map(property => [property.name, property]))
  const fields = Object.entries(EventRecord.properties).map(([name, schema]) => {
    const property = fieldsOfType.get(name)
    if (!property) throw new Error(`The EventRecord of ${fileName} has no field ${name}.`)
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
    const ofField = checker
      .typeToString(
        checker.getTypeOfSymbol(property),
        undefined,
        ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias,
      )
      .replace(/ \| undefined$/, '')
    const description = 'description' in schema && schema.description
    return `${description ? `  /** ${description} */\n` : ''}  ${name}${isOptional ? '?' : ''}: ${ofField}`
  })
  return `/** An event as the queue serves it. */\nexport interface EventRecord {\n${fields.join('\n')}\n}\n`
}
