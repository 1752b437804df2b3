import { Type } from 'typebox'
import type { Static, TObject, TOptional, TProperties, TSchema } from 'typebox'
import { hasStatus } from '../kinds/kind.ts'
import { CONDITION_QUERY_PATTERN } from '../values/condition-query.ts'
import { described } from '../values/described.ts'
import { shownAs, titled } from '../values/shown-as.ts'

/** RFC 3339 time in UTC. */
export const time = Type.String({ format: 'date-time', examples: ['2026-11-20T08:00:00.000Z'] })

/** RFC 3339 time in UTC, or null. */
export const timeOrNull = Type.Union([time, Type.Null()])

/** A JSON object whose content is not described here. */
export const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** A JSON object with fields of any name. */
export function openObject(description: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })
}

/** Any JSON value. */
export const anyValue = Type.Unknown()

/** String values by key. */
export const textMap = Type.Record(Type.String(), Type.String())

/** Page size of a list. */
export const limit = Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Page size.' })

/** Opaque cursor of the previous page. */
export const cursor = Type.String({ minLength: 1, maxLength: 8192, description: 'nextCursor of the previous page.' })

/** Query of a list with paging only. */
export const pageQuery = { limit: Type.Optional(limit), cursor: Type.Optional(cursor) }

/** `?scope=permitted`: only namespaces that the caller may see. */
export const scope = Type.Literal('permitted', { description: 'List across the namespaces that the caller may see.' })

/** `?dryRun=All`: the request is validated but not stored. */
export const dryRun = Type.Literal('All', { description: 'Validate the request without storing anything.' })

/** `?managedFields=true`: objects with `metadata.managedFields`, which are about half of their bytes. */
export const managedFields = Type.Boolean({
  default: false,
  description: 'Show `metadata.managedFields`, which objects come without.',
})

/** `?q=` of a list of a kind. */
export const namePrefix = Type.String({ maxLength: 253, description: 'Prefix of the name, regardless of case.' })

/** `?condition=` of a list of a kind. */
export const conditionQuery = Type.String({
  maxLength: 317,
  pattern: CONDITION_QUERY_PATTERN,
  description:
    'Type of a condition that is True, such as `Ready`; with `!` before it, objects in which it is absent or not True.',
})

/** `?order=` of a list of a kind. */
export const listOrder = Type.Enum(['name', 'newest', 'oldest'], {
  description: 'Order of the list, of at most 2,000 objects. Default: by namespace and name.',
})

/** See {@link listOrder}. */
export type ListOrder = Static<typeof listOrder>

/** `?namespace=`; parsed as a namespace name before anything else. */
export const namespaceQuery = Type.String({ maxLength: 253, description: 'Namespace; empty or absent is the cluster.' })

/** The envelope of every list. `scope` is present if the list was read with `scope=permitted`. */
export function listOf(item: TSchema): TObject {
  const title = 'title' in item && typeof item.title === 'string' ? { title: `${item.title}List` } : {}
  return Type.Object(
    {
      items: Type.Array(item, { description: 'Items of the page.' }),
      nextCursor: Type.Union([Type.String(), Type.Null()], {
        description: 'Cursor of the next page; null at the end.',
        examples: [null],
      }),
      scope: Type.Optional(
        Type.Literal('permitted', { description: 'As in the query: only namespaces that the caller may see.' }),
      ),
    },
    title,
  )
}

const metadataFields = {
  generateName: Type.Optional(Type.String({ description: 'Prefix of a name that the cluster completes.' })),
  uid: Type.Optional(
    Type.String({
      description: 'UUID that the cluster assigns to the object.',
      examples: ['6f1c2a90-2f5e-4d1b-9c53-0b7d1c9e4a11'],
    }),
  ),
  resourceVersion: Type.Optional(
    Type.String({ description: 'Version of the object, also sent as `ETag`.', examples: ['4711'] }),
  ),
  generation: Type.Optional(Type.Integer({ description: 'Number of the newest spec, from 1.', examples: [1] })),
  creationTimestamp: Type.Optional(described(time, 'Creation time.')),
  deletionTimestamp: Type.Optional(
    described(time, 'Time from which the object is removed; set while it is being deleted.'),
  ),
  labels: Type.Optional(described(textMap, 'Labels of the object, by key.')),
  annotations: Type.Optional(described(textMap, 'Annotations of the object, by key.')),
}

const metaExample = {
  name: 'hello',
  namespace: 'default',
  uid: '6f1c2a90-2f5e-4d1b-9c53-0b7d1c9e4a11',
  resourceVersion: '4711',
  generation: 1,
  creationTimestamp: '2026-11-20T08:00:00Z',
}

/** Kubernetes ObjectMeta as the API returns it; further fields pass through. */
export const ObjectMeta = Type.Object(
  {
    name: Type.String({ description: 'Name of the object (RFC 1123), unique in its namespace.', examples: ['hello'] }),
    namespace: Type.Optional(
      Type.String({ description: 'Namespace of the object; absent for a cluster-wide one.', examples: ['default'] }),
    ),
    ...metadataFields,
  },
  { additionalProperties: true, title: 'ObjectMeta', description: 'Kubernetes ObjectMeta.', examples: [metaExample] },
)

/** Kubernetes ObjectMeta in a request body. */
export const ObjectMetaInput = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        description: 'Name of the object (RFC 1123); generateName may be given instead.',
        examples: ['hello'],
      }),
    ),
    namespace: Type.Optional(
      Type.String({
        description: 'Namespace of the object; that of the path, where the path has one.',
        examples: ['default'],
      }),
    ),
    ...metadataFields,
  },
  { additionalProperties: true, title: 'ObjectMetaInput', description: 'Kubernetes ObjectMeta, as sent.' },
)

interface ApiKind {
  readonly kind: string
  readonly apiVersion: string
  readonly spec: TSchema
  readonly status: TSchema
}

// Fields of newer or older controllers pass through.
function statusOf(given: ApiKind): { status?: TOptional<TSchema> } {
  if (!hasStatus(given)) return {}
  const { kind, status } = given
  const shown = shownAs(Type.Object({}, { additionalProperties: true }), titled(`${kind}Status`, status))
  return { status: Type.Optional(shown) }
}

/** An object of the cluster in a response. */
export function clusterObject(kind: ApiKind, fields: TProperties = {}): TObject {
  return Type.Object(
    {
      apiVersion: described(Type.Literal(kind.apiVersion), 'Group and version of the kind.'),
      kind: described(Type.Literal(kind.kind), 'Kind of the object.'),
      metadata: ObjectMeta,
      spec: titled(`${kind.kind}Spec`, kind.spec),
      ...statusOf(kind),
      ...fields,
    },
    { title: kind.kind },
  )
}

/** An object of the cluster in a request body: `apiVersion` and `kind` may be omitted, and the cluster ignores `status`. */
export function clusterObjectInput(kind: ApiKind): TObject {
  return Type.Object(
    {
      apiVersion: Type.Optional(described(Type.Literal(kind.apiVersion), 'Group and version of the kind.')),
      kind: Type.Optional(described(Type.Literal(kind.kind), 'Kind of the object.')),
      metadata: ObjectMetaInput,
      spec: titled(`${kind.kind}Spec`, kind.spec),
      ...statusOf(kind),
    },
    { title: `${kind.kind}Input` },
  )
}

/** Any object of the cluster. */
export const AnyObject = Type.Object(
  {
    apiVersion: Type.String({ description: 'Group and version of the kind.', examples: ['mesh.dev/v1alpha1'] }),
    kind: Type.String({ description: 'Kind of the object.', examples: ['AgentDeployment'] }),
    metadata: ObjectMeta,
  },
  { additionalProperties: true, title: 'KubernetesObject' },
)

/** A response that is text, not JSON. */
export const plainText = Type.String({ contentMediaType: 'text/plain', examples: ['listening on port 9000\n'] })

/** A response that is a stream of server-sent events. */
export const eventStreamText = Type.String({ contentMediaType: 'text/event-stream' })

/** A response without a body. */
export const nothing = Type.Null({ description: 'No body.' })

/** An amount of money. */
export const Money = Type.Object(
  {
    amount: Type.String({ description: 'Decimal text.', examples: ['0.004200'] }),
    currency: Type.String({ description: 'ISO 4217 code.', examples: ['USD'] }),
  },
  { title: 'Money' },
)
