import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** A regular expression in the source, or a `RegExp` made of text that is not there to read. */
export interface SourcePattern {
  /** `core/http/auth.ts:4`. */
  readonly place: string
  readonly source: string
  readonly flags: string
  readonly dynamic: boolean
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const roots = '{main.ts,{schemas,core,plugins,launcher,local}/**/*.ts}'

/** Every regular expression of the product, by its syntax tree: literals, `RegExp(...)`, and texts that stand as `pattern` or `..._PATTERN`. */
export function sourcePatterns(): readonly SourcePattern[] {
  return globSync(roots, { cwd: root })
    .filter((file) => !/\.(?:test|fixture)\.ts$|\/testing\//.test(file))
    .flatMap((file) => patternsIn(file, readFileSync(`${root}${file}`, 'utf8')))
}

/** As `sourcePatterns`, of one text. */
export function patternsIn(file: string, text: string): readonly SourcePattern[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: SourcePattern[] = []
  const visit = (node: ts.Node): void => {
    const pattern = toPattern(node)
    if (pattern !== undefined) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
      found.push({ place: `${file}:${line}`, dynamic: false, flags: '', ...pattern })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function toPattern(node: ts.Node): (Pick<SourcePattern, 'source'> & Partial<SourcePattern>) | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/')
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) }
  }
  if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
    const [text] = node.arguments ?? []
    const isLiteral = text !== undefined && ts.isStringLiteralLike(text)
    return isLiteral ? { source: text.text } : { source: node.getText(), dynamic: true }
  }
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern') return textOf(node.initializer)
  if (ts.isVariableDeclaration(node) && node.name.getText().endsWith('_PATTERN')) return textOf(node.initializer)
  return undefined
}

function textOf(node: ts.Expression | undefined): { source: string } | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? { source: node.text } : undefined
}
