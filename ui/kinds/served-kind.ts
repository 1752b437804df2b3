import { fieldsOf, resolveSchema, shapeOf, toNode, valuesOf } from '../parts/yaml/schema-shape.ts'
import type { SchemaNode, ValueSchema } from '../parts/yaml/schema-shape.ts'
import { fieldTitle } from '../parts/form/form-edit.ts'
import type { KindColumn } from './kind-entry.ts'
import { valueAt } from './kind-object.ts'

/** What can be done with a kind. */
export type KindVerb = 'list' | 'create' | 'get' | 'update' | 'delete'

/** A kind as the API serves it, read from its OpenAPI document. */
export interface ServedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly isNamespaced: boolean
  readonly verbs: readonly KindVerb[]
  /** Schema of the body of create and update. */
  readonly input: ValueSchema
  /** An example body; undefined without one. */
  readonly sample: unknown
}

/** The document of the API: paths and named schemas. */
export interface ApiDocument {
  readonly paths?: unknown
  readonly components?: { readonly schemas?: unknown }
}

/** A kind by the segments of its routes below `/api`; undefined if the API does not serve it. */
export function servedKind(document: ApiDocument, api: readonly string[]): ServedKind | undefined {
  const base = `/api/${api.join('/')}`
  const paths = toNode(document.paths) ?? {}
  const itemPath = [`${base}/{ns}/{name}`, `${base}/{name}`].find((path) => Object.hasOwn(paths, path))
  const collection = Object.hasOwn(paths, base) ? toNode(paths[base]) : undefined
  const item = itemPath === undefined ? undefined : toNode(paths[itemPath])
  const named = toNode(document.components?.schemas) ?? {}
  const object = itemOf(collection, named)
  if (collection === undefined || object === undefined) return undefined
  const body = toNode(item?.['put']) ?? toNode(collection['post'])
  return {
    ...object,
    isNamespaced: itemPath?.endsWith('/{ns}/{name}') ?? false,
    verbs: verbsOf(collection, item),
    input: { node: bodySchema(body) ?? {}, named },
    sample: firstExample(body),
  }
}

/** Schema of the body of an operation, by its method and path; undefined if it has none. */
export function bodyOf(
  { paths, components }: ApiDocument,
  { method, path }: { readonly method: string; readonly path: string },
): ValueSchema | undefined {
  const all = toNode(paths) ?? {}
  const item = Object.hasOwn(all, path) ? toNode(all[path]) : undefined
  const node = bodySchema(toNode(item?.[method.toLowerCase()]))
  return node === undefined ? undefined : { node, named: toNode(components?.schemas) ?? {} }
}

/** The kinds that a third party serves, as segments below `/api`. */
export function kindsOfPlugin(document: ApiDocument, plugin: string): readonly (readonly string[])[] {
  return Object.keys(toNode(document.paths) ?? {})
    .map((path) => path.split('/').slice(2))
    .filter(([x, name, ...rest]) => x === 'x' && name === plugin && rest.length === 1)
    .filter((api) => servedKind(document, api) !== undefined)
}

/** Columns of a kind whose entry names none: the first fields of its spec that fit into a cell. */
export function firstColumns({ input }: ServedKind): readonly KindColumn[] {
  const spec = fieldsOf(resolveSchema(input)).find(([name]) => name === 'spec')?.[1]
  if (spec === undefined) return []
  const fits = (schema: ValueSchema): boolean => {
    const shape = shapeOf(schema)
    const items = shape === 'list' ? valuesOf(schema) : schema
    return items !== undefined && ['string', 'number', 'boolean', 'choice'].includes(shapeOf(items))
  }
  return fieldsOf(spec)
    .filter(([, schema]) => fits(schema))
    .slice(0, 3)
    .map(([name]) => ({ title: fieldTitle(name), field: `spec.${name}` }))
}

function verbsOf(collection: SchemaNode, item: SchemaNode | undefined): readonly KindVerb[] {
  const all: Readonly<Record<KindVerb, unknown>> = {
    list: collection['get'],
    create: collection['post'],
    get: item?.['get'],
    update: item?.['put'],
    delete: item?.['delete'],
  }
  return (Object.keys(all) as KindVerb[]).filter((verb) => all[verb] !== undefined)
}

// A list whose items are objects of one kind.
function itemOf(
  collection: SchemaNode | undefined,
  named: SchemaNode,
): { readonly apiVersion: string; readonly kind: string } | undefined {
  const schema = contentOf(toNode(toNode(toNode(collection?.['get'])?.['responses'])?.['200']))
  if (schema === undefined) return undefined
  const items = fieldsOf(resolveSchema({ node: schema, named })).find(([name]) => name === 'items')?.[1]
  const object = items === undefined ? undefined : valuesOf(items)
  const fields = new Map(object === undefined ? [] : fieldsOf(object))
  const [apiVersion, kind] = ['apiVersion', 'kind'].map((name) => fields.get(name)?.node['const'])
  return typeof apiVersion === 'string' && typeof kind === 'string' ? { apiVersion, kind } : undefined
}

function contentOf(holder: SchemaNode | undefined): SchemaNode | undefined {
  return toNode(toNode(toNode(holder?.['content'])?.['application/json'])?.['schema'])
}

function bodySchema(operation: SchemaNode | undefined): SchemaNode | undefined {
  return contentOf(toNode(operation?.['requestBody']))
}

function firstExample(operation: SchemaNode | undefined): unknown {
  const json = toNode(toNode(toNode(operation?.['requestBody'])?.['content'])?.['application/json'])
  return valueAt(Object.values(toNode(json?.['examples']) ?? {})[0], 'value')
}
