import { createHash } from 'node:crypto'
import type { Kinds } from '../kinds/kind-table.ts'
import type { Kind } from '../kinds/kind.ts'
import { builtinTable } from '../schema/built-in-schemas.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

type Document = { [key: string]: unknown }

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const JSON_BODY = 'application/json'
const FIELD_VALIDATION = { name: 'fieldValidation', in: 'query', schema: { type: 'string', uniqueItems: true } }
const DRY_RUN = { name: 'dryRun', in: 'query', schema: { type: 'string', uniqueItems: true } }

const groupPath = (kind: Kind): string => (kind.group ? `apis/${kind.apiVersion}` : `api/${kind.version}`)

function componentName(kind: Kind): string {
  const builtIn = kind.custom ? undefined : builtinTable().kinds[`${kind.group}/${kind.kind}`]
  return builtIn ?? `${kind.group.split('.').toReversed().join('.')}.${kind.version}.${kind.kind}`
}

/** Converts the bare names of built-in references to JSON pointers. */
function withPointers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withPointers)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' ? [key, `#/components/schemas/${value}`] : [key, withPointers(value)],
    ),
  )
}

function references(node: unknown, into: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    if (key !== '$ref' || typeof value !== 'string') references(value, into)
    else if (!into.has(value)) {
      into.add(value)
      references(builtinTable().components[value], into)
    }
  }
}

function customSchema(kind: Kind): JsonSchema & Document {
  const { schema } = kind.schema
  const properties: Document = {
    ...schema.properties,
    apiVersion: {
      type: 'string',
      description: 'APIVersion defines the versioned schema of this representation of an object.',
    },
    kind: {
      type: 'string',
      description: 'Kind is a string value representing the REST resource this object represents.',
    },
    metadata: { description: "Standard object's metadata.", allOf: [{ $ref: META }] },
  }
  return Object.assign({}, schema, { properties })
}

function componentsOf(kinds: readonly Kind[]): Document {
  const { components } = builtinTable()
  const out: Document = {}
  const needed = new Set<string>([META])
  references(components[META], needed)
  for (const kind of kinds) {
    const name = componentName(kind)
    const schema = kind.custom ? customSchema(kind) : (components[name] ?? kind.schema.schema)
    references(schema, needed)
    const gvk = [{ group: kind.group, version: kind.version, kind: kind.kind }]
    out[name] = { ...(withPointers(schema) as Document), 'x-kubernetes-group-version-kind': gvk }
  }
  for (const name of needed) out[name] ??= withPointers(components[name] ?? { type: 'object' })
  return out
}

function operation(kind: Kind, action: string, parameters: readonly object[]): Document {
  const schema = { $ref: `#/components/schemas/${componentName(kind)}` }
  return {
    tags: [kind.group || 'core'],
    operationId: `${action}${kind.kind}`,
    parameters,
    responses: { 200: { description: 'OK', content: { [JSON_BODY]: { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind },
  }
}

function pathsOf(kind: Kind): Document {
  const base = `/${groupPath(kind)}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.resource}`
  const write = [DRY_RUN, FIELD_VALIDATION]
  const one: Document = { get: operation(kind, 'get', []) }
  const many: Document = { get: operation(kind, 'list', []) }
  if (kind.verbs.includes('create')) many['post'] = operation(kind, 'post', write)
  if (kind.verbs.includes('update')) one['put'] = operation(kind, 'put', write)
  if (kind.verbs.includes('patch')) one['patch'] = operation(kind, 'patch', write)
  if (kind.verbs.includes('delete')) one['delete'] = operation(kind, 'delete', [DRY_RUN])
  return { [base]: many, [`${base}/{name}`]: one }
}

const INFO = { title: 'Kubernetes', version: 'v1.36.0' }

const SWAGGER_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** A string or an encoded message as a protobuf field. */
const proto = (field: number, value: string): string =>
  String.fromCharCode((field << 3) | 2, Buffer.byteLength(value)) + value

/**
 * Swagger 2 without definitions, in the only encoding that kubectl requests. kubectl reads it if OpenAPI 3 does not
 * contain a kind.
 */
export const SWAGGER = {
  type: SWAGGER_TYPE,
  body: Buffer.from(proto(1, '2.0') + proto(2, proto(1, INFO.title) + proto(2, INFO.version))),
}

/** OpenAPI documents by their path, as JSON. */
export interface OpenApi {
  find(path: string): string | undefined
}

interface Made {
  readonly kinds: readonly Kind[]
  readonly text: string
  readonly hash: string
}

/**
 * Builds OpenAPI documents from the table of kinds on first use: an index and one OpenAPI 3 document per group. A document
 * is built again when a kind of its group was replaced.
 */
export function createOpenApi(kinds: Kinds): OpenApi {
  const made = new Map<string, Made>()

  function document(path: string): Made | undefined {
    const own = kinds.all.filter((kind) => groupPath(kind) === path)
    const known = made.get(path)
    if (own.length === 0) {
      made.delete(path)
      return undefined
    }
    if (known?.kinds.length === own.length && own.every((kind, i) => kind === known.kinds[i])) return known
    const all = Object.assign({}, ...own.map(pathsOf))
    const text = JSON.stringify({
      openapi: '3.0.0',
      info: INFO,
      paths: all,
      components: { schemas: componentsOf(own) },
    })
    const next = { kinds: own, text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() }
    made.set(path, next)
    return next
  }

  function index(): string {
    const paths = [...new Set(kinds.all.map(groupPath))]
    const entry = (path: string) => [
      path,
      { serverRelativeURL: `/openapi/v3/${path}?hash=${document(path)?.hash ?? ''}` },
    ]
    return JSON.stringify({ paths: Object.fromEntries(paths.map(entry)) })
  }

  return { find: (path) => (path === '/openapi/v3' ? index() : document(path.slice('/openapi/v3/'.length))?.text) }
}
