import { Type } from 'typebox'
import type { TObject, TSchema } from 'typebox'
import type { Resource } from '#core/kube/client.ts'

/** What routes over a kind need of it; every `Kind` of `schemas/crds` satisfies it. */
export interface RoutedKind {
  readonly group: string
  readonly version: string
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly spec: TObject
  readonly status: TObject
}

/** The REST coordinates of a kind. */
export function toResource({ group, version, plural, kind, scope }: RoutedKind): Resource {
  return { group, version, plural, kind, namespaced: scope === 'Namespaced' }
}

const metadata = Type.Object(
  {
    name: Type.Optional(Type.String()),
    namespace: Type.Optional(Type.String()),
    resourceVersion: Type.Optional(Type.String()),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: true, description: 'Kubernetes ObjectMeta.' },
)

/** The object of a kind as it is sent: `apiVersion` and `kind` may be left out, `status` is ignored by the cluster. */
export function bodyOf(kind: RoutedKind): TSchema {
  return Type.Object(
    {
      apiVersion: Type.Optional(Type.Literal(kind.apiVersion)),
      kind: Type.Optional(Type.Literal(kind.kind)),
      metadata,
      spec: specOf(kind),
      status: Type.Optional(Type.Object({}, { additionalProperties: true })),
    },
    { title: `${kind.kind}Input` },
  )
}

/** The object of a kind as it is answered. */
export function objectOf(kind: RoutedKind): TSchema {
  return Type.Object(
    {
      apiVersion: Type.Literal(kind.apiVersion),
      kind: Type.Literal(kind.kind),
      metadata: Type.Intersect([metadata, Type.Object({ name: Type.String() }, { additionalProperties: true })]),
      spec: specOf(kind),
      status: Type.Optional(Type.Object({}, { additionalProperties: true, description: `See the kind ${kind.kind}.` })),
    },
    { title: kind.kind },
  )
}

// A title makes a schema a component of the OpenAPI document.
function specOf({ kind, spec }: RoutedKind): TSchema {
  return { ...spec, title: `${kind}Spec` }
}

/** A page of a list. */
export function pageOf(item: TSchema): TSchema {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
    scope: Type.Optional(Type.Literal('permitted')),
  })
}

/** Query of a page: `limit` 1 to 200, default 50, and an opaque cursor. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 8192 })),
}

/** Query of a list of a kind. */
export const listQuery = Type.Object({
  ...pageQuery,
  namespace: Type.Optional(Type.String({ maxLength: 63, description: 'Absent or empty: the whole cluster.' })),
  labelSelector: Type.Optional(Type.String({ maxLength: 1024 })),
  scope: Type.Optional(Type.Literal('permitted', { description: 'Only the namespaces that the caller may list.' })),
})

/** Query of a write: `dryRun=All` checks everything and keeps nothing. */
export const writeQuery = Type.Object({ dryRun: Type.Optional(Type.Literal('All')) })
