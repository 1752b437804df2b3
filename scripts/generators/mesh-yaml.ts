import { allSettings } from '../settings/all-settings.ts'
import type { SettingsSection } from '../settings/all-settings.ts'
import { choicesOf } from '../settings/setting-row.ts'
import type { SchemaNode } from '../settings/setting-row.ts'

/** docs/reference/mesh-yaml.schema.json: the settings file, for editors. */
export async function generate(): Promise<Map<string, string>> {
  const [core, ...plugins] = await allSettings()
  const own = fileSchema(core?.schema ?? {})
  const named = plugins.reduce(withNamedSettings, {})
  const properties = {
    ...own.properties,
    ...Object.fromEntries(plugins.map(({ key, schema }) => [key, slice(schema)])),
    ...(named.properties === undefined ? {} : objectOf(named.properties, []).properties),
  }
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'mesh.yaml',
    type: 'object',
    properties,
    // A third-party plugin has its own key, unknown to this schema.
    if: { required: ['plugins'] },
    else: { propertyNames: { enum: Object.keys(properties) } },
  }
  return new Map([['docs/reference/mesh-yaml.schema.json', `${JSON.stringify(schema, undefined, 2)}\n`]])
}

// Settings with another name in the file, such as `bff.providerConnect.enabled`.
function withNamedSettings(into: SchemaNode, { schema, sources }: SettingsSection): SchemaNode {
  return sources
    .filter(({ from }) => from.includes('.'))
    .reduce((tree, { from, to }) => {
      const setting = to.split('.').reduce<SchemaNode>((node, name) => node.properties?.[name] ?? {}, schema)
      return withSetting(tree, from.split('.'), setting)
    }, into)
}

function withSetting(tree: SchemaNode, [name, ...rest]: readonly string[], setting: SchemaNode): SchemaNode {
  if (name === undefined) return setting
  const below = withSetting(tree.properties?.[name] ?? {}, rest, setting)
  return { ...tree, type: 'object', properties: { ...tree.properties, [name]: below } }
}

interface FileNode {
  readonly properties?: object
  readonly [keyword: string]: unknown
}

// An empty section (`audit:`) is null in YAML.
function slice(schema: SchemaNode): FileNode {
  return { ...fileSchema(schema), type: ['object', 'null'] }
}

// Drops keywords of the platform; a setting with a default is not required in the file.
function fileSchema(node: SchemaNode): FileNode {
  const {
    hardenedDefault,
    file: _,
    required = [],
    properties,
    items,
    anyOf,
    ...rest
  } = node as SchemaNode & { file?: unknown }
  const choices = choicesOf(node)
  if (choices !== undefined) return { ...without(rest, 'const'), enum: choices }
  const notes =
    hardenedDefault === undefined
      ? {}
      : {
          description: `${node.description} In the profile hardened the default is ${JSON.stringify(hardenedDefault)}.`,
        }
  return {
    ...rest,
    ...notes,
    ...(items && { items: fileSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(fileSchema) }),
    ...(properties && objectOf(properties, required)),
  }
}

function objectOf(properties: Readonly<Record<string, SchemaNode>>, required: readonly string[]): FileNode {
  const needed = required.filter((name) => !isFilled(properties[name]))
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, fileSchema(child)])),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  }
}

const isFilled = (node: SchemaNode | undefined): boolean =>
  node?.default !== undefined || node?.properties !== undefined

const without = (node: object, name: string): object =>
  Object.fromEntries(Object.entries(node).filter(([key]) => key !== name))
