import { Type } from 'typebox'
import type { TObject, TSchema } from 'typebox'

/** RFC 3339 time in UTC. */
export const time = Type.String({ format: 'date-time' })

/** RFC 3339 time in UTC, or null. */
export const timeOrNull = Type.Union([time, Type.Null()])

/** UUIDv7 of a stored row. */
export const rowId = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' })

/** A JSON object whose inside is not described here. */
export const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** Any JSON value. */
export const anyValue = Type.Unknown()

/** Text values by key. */
export const textMap = Type.Record(Type.String(), Type.String())

/** Page size of a list. */
export const limit = Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Page size.' })

/** Opaque cursor of the previous page. */
export const cursor = Type.String({ minLength: 1, maxLength: 8192, description: 'nextCursor of the previous page.' })

/** Query of a list with paging only. */
export const pageQuery = { limit: Type.Optional(limit), cursor: Type.Optional(cursor) }

/** `?scope=permitted`: only namespaces that the caller may see. */
export const scope = Type.Literal('permitted', { description: 'Walk the namespaces that the caller may see.' })

/** `?dryRun=All`: everything is checked, nothing is stored. */
export const dryRun = Type.Literal('All', { description: 'Check everything, store nothing.' })

/** `?namespace=`; parsed as a namespace name before anything else. */
export const namespaceQuery = Type.String({ maxLength: 253, description: 'Namespace; empty or absent is the cluster.' })

/** The envelope of every list. `scope` is there when the list was walked as `permitted`. */
export function listOf(item: TSchema): TObject {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'null at the end.' }),
    scope: Type.Optional(Type.Literal('permitted')),
  })
}

/** Kubernetes ObjectMeta as the API answers it; further fields pass through. */
export const ObjectMeta = Type.Object(
  {
    name: Type.Optional(Type.String()),
    namespace: Type.Optional(Type.String()),
    generateName: Type.Optional(Type.String()),
    uid: Type.Optional(Type.String()),
    resourceVersion: Type.Optional(Type.String()),
    generation: Type.Optional(Type.Integer()),
    creationTimestamp: Type.Optional(time),
    deletionTimestamp: Type.Optional(time),
    labels: Type.Optional(textMap),
    annotations: Type.Optional(textMap),
  },
  { additionalProperties: true },
)

/** An object of the cluster with a known spec. */
export function clusterObject(kind: { kind: string; apiVersion: string; spec: TSchema; status: TSchema }): TObject {
  return Type.Object(
    {
      apiVersion: Type.Literal(kind.apiVersion),
      kind: Type.Literal(kind.kind),
      metadata: ObjectMeta,
      spec: kind.spec,
      status: Type.Optional(kind.status),
    },
    { title: kind.kind },
  )
}

/** Any object of the cluster. */
export const AnyObject = Type.Object(
  { apiVersion: Type.String(), kind: Type.String(), metadata: ObjectMeta },
  { additionalProperties: true },
)

/** One refused field of a request. */
export const FieldError = Type.Object({ pointer: Type.String(), detail: Type.String() })

/** RFC 9457 problem details, the body of every error. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.Optional(Type.String()),
    instance: Type.Optional(Type.String()),
    code: Type.String({ description: 'Stable, snake_case.' }),
    traceId: Type.Optional(Type.String()),
    retryable: Type.Optional(Type.Boolean()),
    errors: Type.Optional(Type.Array(FieldError)),
    cluster: Type.Optional(
      Type.Object({
        reason: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
        details: Type.Optional(anyObject),
        code: Type.Optional(Type.Integer()),
        auditId: Type.Optional(Type.String()),
      }),
    ),
  },
  { title: 'Problem' },
)

/** An answer that is text, not JSON. */
export const plainText = Type.String({ contentMediaType: 'text/plain' })

/** An answer without a body. */
export const nothing = Type.Null({ description: 'No body.' })
