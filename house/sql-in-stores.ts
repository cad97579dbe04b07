import ts from 'typescript'

// SQL begins with one of these. Prose seldom does, and then it lacks the second word.
const statement =
  /^\s*(?:select\s[\s\S]*\b(?:from|pg_\w+|now)\b|select\s+1\s*$|insert\s+into\s|update\s+[\w."]+\s+set\s|delete\s+from\s|truncate\s|create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|index|view|function|type|role|schema|database|trigger)\s|(?:alter|drop)\s+(?:table|index|view|type|role|schema|database)\s|lock\s+table\s|set\s+(?:local|session)\s|(?:listen|notify)\s+\w+\s*$|with\s+(?:recursive\s+)?\w+\s+as\s+(?:(?:not\s+)?materialized\s+)?\()/i
// Pieces of it, wherever they stand in a text.
const fragment =
  /\bon\s+conflict\s*\(|\bfor\s+update\b|\bskip\s+locked\b|\bwhere\s+[\w."]+\s*(?:=|<|>|in)\s*(?:\$\d|\()/i
/** Query builder methods that name a table. */
const builders = new Set(['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'withTables'])

/** The lines of a TypeScript source that hold SQL as text, or a query that is being built. Comments do not count. */
export function findSql(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true)
  const found: string[] = []
  const report = (node: ts.Node) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
    found.push(`${path}:${line + 1}: ${node.getText(file).split('\n', 1)[0]}`)
  }
  const visit = (node: ts.Node): void => {
    const text = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('$1')
        : undefined
    if (text !== undefined && (statement.test(text) || fragment.test(text))) report(node)
    if (ts.isPropertyAccessExpression(node) && builders.has(node.name.text)) report(node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}
