import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type { MountedEndpoint } from '#core/host/contexts.ts'
import type { AnyEndpoint, Authz } from './endpoint.ts'
import { errorTable } from './errors.ts'
import { paramNames } from './params.ts'
import { closeObjects } from './validate.ts'

/** The schema of every error answer (RFC 9457). */
export const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
  instance: Type.Optional(Type.String()),
  code: Type.Enum(Object.keys(errorTable)),
  traceId: Type.Optional(Type.String()),
  retryable: Type.Boolean(),
  errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }))),
  cluster: Type.Optional(
    Type.Object({
      reason: Type.String(),
      message: Type.String(),
      code: Type.Integer(),
      auditId: Type.Optional(Type.String()),
      details: Type.Optional(
        Type.Object({
          name: Type.Optional(Type.String()),
          group: Type.Optional(Type.String()),
          kind: Type.Optional(Type.String()),
        }),
      ),
    }),
  ),
})

/** What the document says of itself. */
export interface OpenApiInput {
  readonly catalog: readonly MountedEndpoint[]
  readonly version: string
}

/** OpenAPI 3.1 of the mounted endpoints, sorted, so that the same endpoints always give the same document. */
export function toOpenApi({ catalog, version }: OpenApiInput): object {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas: Record<string, unknown> = { Problem: ProblemSchema }
  const sorted = [...catalog]
    .filter(({ wiring }) => wiring !== 'hidden')
    .toSorted((a, b) => compare(keyOf(a), keyOf(b)))
  for (const mounted of sorted) {
    const path = pathOf(mounted)
    paths[path] = { ...paths[path], [mounted.endpoint.method.toLowerCase()]: hoist(operation(mounted), schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'mesh control plane', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: "The caller's own cluster bearer token." },
      },
      schemas,
      responses: {
        Problem: {
          description: 'An error.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  }
}

// A schema with a title stands once among the components; where it is used a reference does.
function hoist(node: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => hoist(item, schemas))
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, hoist(value, schemas)]))
  const { title } = copy
  if (typeof title !== 'string' || copy.type !== 'object' || !('properties' in copy)) return copy
  const name = nameFor(title.replaceAll(/[^A-Za-z0-9._-]/g, ''), copy, schemas)
  schemas[name] = copy
  return { $ref: `#/components/schemas/${name}` }
}

// Two schemas of one title that differ (one closed, one open) are two components.
function nameFor(title: string, schema: object, schemas: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(schema)
  for (let count = 1; ; count++) {
    const name = count === 1 ? title : `${title}${count}`
    if (!(name in schemas) || JSON.stringify(schemas[name]) === text) return name
  }
}

function operation({ plugin, endpoint }: MountedEndpoint): object {
  return {
    operationId: operationId(endpoint),
    tags: [plugin],
    summary: endpoint.summary,
    ...(endpoint.authz.kind === 'shareToken' ? { security: [] } : {}),
    'x-mesh-authz': describeAuthz(endpoint.authz),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: closeObjects(endpoint.body) } } } }),
    responses: { ...responses(endpoint), default: { $ref: '#/components/responses/Problem' } },
  }
}

function pathParameters({ url, params }: AnyEndpoint): readonly object[] {
  return paramNames(url).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: propertiesOf(params)[name] ?? {
      type: 'string',
      maxLength: name === 'name' ? 253 : 63,
      description: 'A Kubernetes name (RFC 1123).',
    },
  }))
}

function queryParameters({ query }: AnyEndpoint): readonly object[] {
  const required = query !== undefined && 'required' in query && Array.isArray(query.required) ? query.required : []
  return Object.entries(propertiesOf(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function headerParameters({ idempotent }: AnyEndpoint): readonly object[] {
  return idempotent === true
    ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 255 } }]
    : []
}

function responses(endpoint: AnyEndpoint): Record<string, object> {
  const entries = Object.entries(endpoint.response).map(([status, schema]): [string, object] => [
    status,
    response(endpoint, Number(status), schema),
  ])
  return Object.fromEntries(entries)
}

function response({ stream }: AnyEndpoint, status: number, schema: TSchema): object {
  const description = status === 201 ? 'Created.' : status === 202 ? 'Accepted.' : status === 204 ? 'Done.' : 'Success.'
  if (status === 204) return { description }
  if (stream === true) return { description, content: { 'text/event-stream': {}, 'text/plain': {} } }
  return { description, content: { 'application/json': { schema } } }
}

function describeAuthz(authz: Authz): string {
  if (authz.kind === 'review') return `review: ${authz.verb} ${authz.resource}`
  return 'verb' in authz ? `${authz.kind}: ${authz.verb} ${authz.resource}` : authz.kind
}

function operationId({ method, url }: AnyEndpoint): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return [method.toLowerCase(), ...words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)].join('')
}

function pathOf({ prefix, endpoint }: MountedEndpoint): string {
  return `${prefix}${endpoint.url}`.replaceAll(/:([A-Za-z]+)/g, '{$1}')
}

function keyOf(mounted: MountedEndpoint): string {
  return `${pathOf(mounted)} ${mounted.endpoint.method}`
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> {
  const found = schema !== undefined && 'properties' in schema ? schema.properties : undefined
  return typeof found === 'object' && found !== null ? (found as Record<string, TSchema>) : {}
}

// By code unit, not by locale: the document is compared byte for byte.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
