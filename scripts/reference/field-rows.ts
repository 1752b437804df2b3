/** A node of a JSON Schema, reduced to the keywords that the reference pages show. */
export interface FieldNode {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly FieldNode[]
  readonly items?: FieldNode
  readonly properties?: Readonly<Record<string, FieldNode>>
  readonly patternProperties?: Readonly<Record<string, FieldNode>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-mesh-duration'?: { readonly min: string; readonly max: string }
  readonly 'x-kubernetes-int-or-string'?: boolean
}

/** A row of a table of fields. */
export interface FieldRow {
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly preset: string
  readonly bounds: string
  readonly meaning: string
}

/** Rows of every field of a schema, in schema order, with nested fields of mappings and lists below their parent. */
export function fieldRows(schema: FieldNode, path = ''): readonly FieldRow[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, node]) => {
    const own = path === '' ? name : `${path}.${name}`
    return [rowOf(own, node, required.has(name)), ...rowsBelow(node, own)]
  })
}

function rowsBelow(node: FieldNode, path: string): readonly FieldRow[] {
  if (node.properties !== undefined) return fieldRows(node, path)
  if (node.items !== undefined) return rowsBelow(node.items, `${path}[]`)
  const [mapping] = (node.anyOf ?? []).filter(({ properties }) => properties !== undefined)
  if (mapping !== undefined) return fieldRows(mapping, path)
  const [list] = (node.anyOf ?? []).filter(({ items }) => items !== undefined)
  return list === undefined ? [] : rowsBelow(list, path)
}

function rowOf(path: string, node: FieldNode, isRequired: boolean): FieldRow {
  return {
    path,
    isRequired,
    type: typeOf(node),
    preset: node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``,
    bounds: boundsOf(node),
    meaning: (node.description ?? '').replace(/\s+/g, ' ').replaceAll('|', '\\|'),
  }
}

function typeOf(node: FieldNode): string {
  if (node.const !== undefined) return `\`${String(node.const)}\``
  if (node.enum !== undefined) return node.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (node['x-mesh-duration'] !== undefined) return 'duration'
  if (node['x-kubernetes-int-or-string'] === true) return 'integer or string'
  if (node.anyOf !== undefined) return [...new Set(node.anyOf.map(typeOf))].join(' or ')
  if (node.items !== undefined || node.type === 'array') return `list of ${typeOf(node.items ?? {})}`
  if (node.type === 'object') return node.properties === undefined ? 'mapping of names' : 'mapping'
  if (node.type === undefined) return 'any'
  return typeof node.type === 'string' ? node.type : node.type.join(' or ')
}

function boundsOf(node: FieldNode): string {
  const duration = node['x-mesh-duration']
  if (duration !== undefined) return `${duration.min} to ${duration.max}`
  const found = [
    range(node.minimum, node.maximum, ''),
    range(undefined, node.maxLength, ' characters'),
    range(node.minItems, node.maxItems, ' entries'),
  ]
  const own = found.filter((text) => text !== '').join(', ')
  return own === '' && node.anyOf !== undefined ? (node.anyOf.map(boundsOf).find((text) => text !== '') ?? '') : own
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from === undefined && to === undefined) return ''
  if (from === undefined) return `at most ${to}${unit}`
  return to === undefined ? `at least ${from}${unit}` : `${from} to ${to}${unit}`
}

/** A Markdown table of rows. */
export function toTable(rows: readonly FieldRow[]): string {
  const lines = rows.map(
    ({ path, type, isRequired, preset, bounds, meaning }) =>
      `| \`${path}\` | ${type}${isRequired ? ', required' : ''} | ${preset} | ${bounds} | ${meaning} |`,
  )
  return ['| field | type | default | bounds | meaning |', '|---|---|---|---|---|', ...lines, ''].join('\n')
}
