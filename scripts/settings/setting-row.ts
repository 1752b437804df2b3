import type { SettingSource } from '#core/config/setting-source.ts'

/** A node of a settings schema, as plain JSON Schema. */
export interface SchemaNode {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SchemaNode[]
  readonly items?: SchemaNode
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly patternProperties?: object
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly hardenedDefault?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly not?: { readonly const?: unknown }
}

/** A row of docs/reference/settings.md. */
export interface SettingRow {
  readonly key: string
  readonly variable: string
  readonly type: string
  readonly preset: string
  readonly bounds: string
  readonly hardened: string
  readonly text: string
}

/** Rows of one settings schema, in its order. Throws for a setting without a description. */
export function settingRows(
  schema: SchemaNode,
  sources: readonly SettingSource[],
  path: readonly string[] = [],
): SettingRow[] {
  const fields = Object.entries(schema.properties ?? {})
  return fields.flatMap(([name, node]) => {
    const key = [...path, name]
    // A mapping with its own default is one setting, such as the resources of a container.
    if (node.properties !== undefined && node.default === undefined) return settingRows(node, sources, key)
    return [rowOf(key.join('.'), node, sources)]
  })
}

function rowOf(key: string, node: SchemaNode, sources: readonly SettingSource[]): SettingRow {
  if (node.description === undefined) throw new Error(`the setting ${key} has no description`)
  const variables = sources.filter(({ to }) => to === key)
  return {
    key,
    variable: variables.map(({ from }) => `\`${from}\``).join(', '),
    type: typeOf(node),
    preset: valueOf(node.default),
    bounds: boundsOf(node),
    hardened: valueOf(node.hardenedDefault),
    text: node.description.replace(/\.?$/, '.').replaceAll('|', '\\|'),
  }
}

/** Values of an enumeration, for any notation in the schema. */
export function choicesOf(node: SchemaNode): readonly unknown[] | undefined {
  if (node.enum !== undefined) return node.enum
  if (node.const !== undefined) return [node.const]
  const values = node.anyOf?.map(({ const: value }) => value)
  return values?.every((value) => value !== undefined) === true ? values : undefined
}

function typeOf(node: SchemaNode): string {
  const choices = choicesOf(node)
  if (choices !== undefined) return choices.map((one) => `\`${String(one)}\``).join(', ')
  if (node.anyOf !== undefined) return node.anyOf.map(typeOf).join(' or ')
  if (node.type === 'array') return `list of ${typeOf(node.items ?? {})}`
  return node.type === 'object' ? 'mapping' : (node.type ?? 'any')
}

function boundsOf({ minimum, maximum, maxItems, not }: SchemaNode): string {
  const number = (value: number | undefined): string => (value === undefined ? '' : value.toLocaleString('en-US'))
  const range = minimum === undefined && maximum === undefined ? [] : [`${number(minimum)}..${number(maximum)}`]
  const items = maxItems === undefined ? [] : [`at most ${number(maxItems)}`]
  const except = not?.const === undefined ? [] : [`not ${String(not.const)}`]
  return [...range, ...items, ...except].join(', ')
}

function valueOf(value: unknown): string {
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``
}
