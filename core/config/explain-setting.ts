import { isObject } from '#core/json/is-object.ts'
import { nearest } from '#schemas/values/nearest.ts'
import { getAt } from '#core/json/get-at.ts'
import type { YamlFile } from './yaml-file.ts'

/** `mesh.yaml:3:5: bff.mcp.enable is not a known setting; did you mean bff.mcp.enabled?` */
export function unknownSetting(file: YamlFile, path: readonly string[], beside: Iterable<string>): string {
  const parent = path.slice(0, -1)
  const found = nearest(path.at(-1) ?? '', [...beside])
  const meant = found === undefined ? '' : `; did you mean ${settingName([...parent, found])}?`
  return `${place(file, path)} is not a known setting${meant}`
}

/** `mesh.yaml:3:5: listen.bff`. */
export function place(file: YamlFile, path: readonly string[]): string {
  return `${file.where(path)}: ${settingName(path)}`
}

/** `listen.trustProxy[0]`. */
function settingName(path: readonly string[]): string {
  return path.map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : `${index === 0 ? '' : '.'}${name}`)).join('')
}

/** Formats a value for a message: truncated, without control characters. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}

/**
 * Returns what a value must be according to its schema: `must be open or hardened, not "closed"`. Undefined if the schema's own message is
 * as clear.
 */
export function explain(schema: unknown, value: unknown, path: readonly string[]): string | undefined {
  const node = schemaAt(schema, path)
  const given = getAt(value, path)
  // An absent value is reported as required.
  if (node === undefined || given === undefined) return undefined
  const choices = choicesOf(node)
  // Other values may be secrets, so only these are quoted.
  if (choices !== undefined) return `must be ${orList(choices)}, not ${quoted(given)}`
  const type = getAt(node, ['type'])
  if (type === 'integer' || type === 'number') return `must be ${numberOf(node, type)}`
  if (type === 'boolean') return 'must be true or false'
  if (type === 'array' && !Array.isArray(given)) return 'must be a list'
  if (type === 'object' && !isObject(given)) return 'must be a mapping'
  if (type === 'string' && typeof given !== 'string') return 'must be a string'
  return undefined
}

/** Names of the fields that an object of the schema may have. */
export function fieldsAt(schema: unknown, path: readonly string[]): readonly string[] {
  const node = getAt(schemaAt(schema, path), ['properties'])
  return typeof node === 'object' && node !== null ? Object.keys(node) : []
}

/** Returns the schema of the value at a path; for an index in the path, the schema of the list's items. */
export function schemaAt(schema: unknown, path: readonly string[]): object | undefined {
  let node: unknown = schema
  for (const name of path)
    node = getAt(node, ['properties', name]) ?? (/^\d+$/.test(name) ? getAt(node, ['items']) : undefined)
  return typeof node === 'object' && node !== null ? node : undefined
}

function choicesOf(node: object): readonly string[] | undefined {
  const literals = getAt(node, ['enum']) ?? asLiterals(getAt(node, ['anyOf']) ?? [node])
  return Array.isArray(literals) && literals.length > 0 ? literals.map(String) : undefined
}

function asLiterals(branches: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(branches)) return undefined
  const literals = branches.map((branch) => getAt(branch, ['const']))
  return literals.includes(undefined) ? undefined : literals
}

function orList(choices: readonly string[]): string {
  return choices.length === 1 ? choices.join() : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1) ?? ''}`
}

function numberOf(node: object, type: string): string {
  const [least, most] = [getAt(node, ['minimum']), getAt(node, ['maximum'])]
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  if (typeof least === 'number')
    return typeof most === 'number' ? `${kind} from ${least} to ${most}` : `${kind}, at least ${least}`
  return typeof most === 'number' ? `${kind}, at most ${most}` : kind
}
