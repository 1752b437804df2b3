import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parse } from 'acorn'
import type { AnyNode, Expression, SpreadElement } from 'acorn'
import { full } from 'acorn-walk'

/** A regular expression in the source, or a `RegExp` made of text that is not there to read. */
export interface SourcePattern {
  /** `core/http/input/bearer-token.ts:4`. */
  readonly place: string
  readonly source: string
  readonly flags: string
  readonly dynamic: boolean
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const roots = '{main.ts,plugin.ts,{schemas,core,plugins,launcher,local}/**/*.ts}'

/** Every regular expression of the product, by its syntax tree: literals, `RegExp(...)`, and texts named `pattern` or `..._PATTERN`. */
export function sourcePatterns(): readonly SourcePattern[] {
  return globSync(roots, { cwd: root })
    .filter((file) => !/\.(?:test|fixture)\.ts$|\/testing\//.test(file))
    .flatMap((file) => patternsIn(file, readFileSync(`${root}${file}`, 'utf8')))
}

/** As `sourcePatterns`, of one text. */
export function patternsIn(file: string, text: string): readonly SourcePattern[] {
  // Types become spaces, so lines and columns are those of the file.
  const script = stripTypeScriptTypes(text)
  const tree = parse(script, { ecmaVersion: 'latest', sourceType: 'module', locations: true })
  const found: SourcePattern[] = []
  full(tree, (node) => {
    const pattern = toPattern(node as AnyNode, script)
    const place = `${file}:${node.loc?.start.line}`
    if (pattern !== undefined) found.push({ place, dynamic: false, flags: '', ...pattern })
  })
  return found
}

function toPattern(node: AnyNode, text: string): (Pick<SourcePattern, 'source'> & Partial<SourcePattern>) | undefined {
  if (node.type === 'Literal' && node.regex !== undefined && node.regex !== null)
    return { source: node.regex.pattern, flags: node.regex.flags }
  if (node.type === 'NewExpression' || node.type === 'CallExpression') {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return undefined
    return textOf(node.arguments[0]) ?? { source: text.slice(node.start, node.end), dynamic: true }
  }
  if (node.type === 'Property' && node.key.type === 'Identifier' && node.key.name === 'pattern')
    return node.value.type === 'Literal' || node.value.type === 'TemplateLiteral' ? textOf(node.value) : undefined
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.id.name.endsWith('_PATTERN'))
    return textOf(node.init)
  return undefined
}

function textOf(node: Expression | SpreadElement | null | undefined): { source: string } | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return { source: node.value }
  const [quasi, ...more] = node?.type === 'TemplateLiteral' ? node.quasis : []
  const source = more.length === 0 ? quasi?.value.cooked : undefined
  return typeof source === 'string' ? { source } : undefined
}
