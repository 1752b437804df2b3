import type { TSchema } from 'typebox'
import { asObject, isObject } from '#core/json/is-object.ts'
import { UNKNOWN_FIELD } from '#core/validation/schema-errors.ts'
import { checkOnce } from '#core/validation/validate.ts'
import { explain, fieldsAt, place, schemaAt, unknownSetting } from './explain-setting.ts'
import { getAt } from '#core/json/get-at.ts'
import type { Profile } from './profile.ts'
import type { SettingSource } from './setting-source.ts'
import { SettingsError } from './settings-error.ts'
import type { YamlFile } from './yaml-file.ts'

/** Sources of a section. `at` is its key in the file, [] for the platform's own settings. */
export interface SliceSources {
  readonly file: YamlFile
  readonly env: Readonly<Record<string, string | undefined>>
  readonly at: readonly string[]
  readonly sources: readonly SettingSource[]
  readonly profile: Profile
}

type Tree = Record<string, unknown>

/** Builds one validated section: defaults of the profile, then the file, then the listed sources; environment variables take precedence. */
export function readSlice(schema: TSchema, given: Tree, from: SliceSources): unknown {
  const origins = new Map<string, string>()
  const slice = structuredClone(given)
  for (const source of from.sources) {
    const found = lookUp(source, from)
    if (found === undefined) continue
    const value = typeof found.value === 'string' ? read(source, found.value, schema) : found.value
    setAt(slice, source.to.split('.'), value)
    origins.set(`/${source.to.replaceAll('.', '/')}`, found.origin)
  }
  const filled = withDefaults(schema, slice, from.profile)
  const [error] = checkOnce(schema, filled)
  if (error === undefined) return filled
  const path = pathOf(error.pointer)
  const origin = origins.get(error.pointer)
  if (origin === undefined && error.detail.startsWith(UNKNOWN_FIELD))
    throw new SettingsError(unknownSetting(from.file, [...from.at, ...path], fieldsAt(schema, path.slice(0, -1))))
  const problem = explain(schema, filled, path) ?? error.detail
  throw new SettingsError(`${origin ?? place(from.file, [...from.at, ...path])} ${problem}`)
}

// RFC 6901
function pathOf(pointer: string): readonly string[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

// `DATABASE_URL` is a variable, `bff.mcp.enabled` a path in the file.
function isVariable(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name)
}

/** Path in the file that a source claims. */
export function claimedPath(source: SettingSource): readonly string[] | undefined {
  return isVariable(source.from) ? undefined : source.from.split('.')
}

function lookUp(source: SettingSource, { file, env }: SliceSources): { value: unknown; origin: string } | undefined {
  const path = claimedPath(source)
  const value = path === undefined ? env[source.from] : getAt(file.tree, path)
  // Manifests express "not set" by an empty variable.
  if (value === undefined || (path === undefined && value === '')) return undefined
  return { value, origin: path === undefined ? source.from : `${file.where(path)}: ${source.from}` }
}

function read(source: SettingSource, text: string, schema: TSchema): unknown {
  if (source.parse !== undefined) return source.parse(text)
  const target = schemaAt(schema, source.to.split('.'))
  const type = target !== undefined && 'type' in target ? target.type : 'string'
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  return text
}

// An absent object gets the defaults of its properties. `hardenedDefault` replaces `default` in that profile.
function withDefaults(schema: unknown, value: unknown, profile: Profile): unknown {
  const properties = getAt(schema, ['properties'])
  const preset = (profile === 'hardened' ? getAt(schema, ['hardenedDefault']) : undefined) ?? getAt(schema, ['default'])
  if (typeof properties !== 'object' || properties === null) return value ?? preset
  const given = value ?? preset ?? {}
  if (!isObject(given)) return given
  const filled: Tree = { ...given }
  for (const [name, property] of Object.entries(properties)) {
    const child = withDefaults(property, filled[name], profile)
    // An optional object stays absent, since its required fields would otherwise make the settings invalid.
    if (child !== undefined && (filled[name] !== undefined || isRequired(schema, name) || !hasProperties(property)))
      filled[name] = child
  }
  return filled
}

function isRequired(schema: unknown, name: string): boolean {
  const required = getAt(schema, ['required'])
  return Array.isArray(required) && required.includes(name)
}

function hasProperties(schema: unknown): boolean {
  return getAt(schema, ['properties']) !== undefined
}

function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    tree[name] = value
    return
  }
  const known = tree[name]
  const child: Tree = { ...asObject(known) }
  tree[name] = child
  setAt(child, rest, value)
}
