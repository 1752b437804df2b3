import { Type } from 'typebox'
import type { TObject, TSchema } from 'typebox'
import { dryRun, listOf, namespaceQuery, pageQuery, scope, time } from '#schemas/api/common.ts'
import { described } from '#schemas/values/described.ts'
import { paramNames } from '../../input/params.ts'
import type { ChildSpec, StoredSpec } from './stored-spec.ts'

/** Orders of a list by the value of `?order=`. */
export const listOrders = ['newest', 'oldest', 'name', 'updated'] as const

/** Pattern of names of stored objects, and of labels of revisions. */
const LABEL = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'
/** Label that always is the latest revision. */
export const LATEST = 'latest'
const MAX_INTEGER = 2 ** 31 - 1

const id = Type.String({
  format: 'uuid',
  description: 'UUIDv7 of the object; an object that is created again has another.',
  examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a09'],
})
const namespace = Type.String({ description: 'Namespace of the object.', examples: ['default'] })
const namespaceInput = Type.Optional(
  Type.String({
    maxLength: 63,
    description: 'Namespace of the object; empty or absent is `default`.',
    examples: ['default'],
  }),
)
const name = Type.String({
  pattern: LABEL,
  description: 'Name of the object, unique in its namespace: an RFC 1123 label.',
  examples: ['example'],
})
const user = (description: string) => Type.String({ description, examples: ['ada@example.com'] })
const integer = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_INTEGER, description, examples: [1] })
const label = Type.String({ pattern: LABEL, description: 'Label of a revision.', examples: ['production'] })

const created = {
  createdAt: described(time, 'Time of the creation.'),
  createdBy: user('Author of the object.'),
}
const written = {
  ...created,
  updatedAt: described(time, 'Time of the last change.'),
  updatedBy: user('Author of the last change.'),
}

/** Schemas of the routes of a stored resource. */
export interface StoredSchemas {
  readonly item: TObject
  readonly list: TObject
  readonly listQuery: TObject
  /** Body of a change. */
  readonly input: TObject
}

/** Schemas of a stored resource; names of components follow its kind. */
export function storedSchemasOf(spec: StoredSpec): StoredSchemas {
  const { kind, description, fields, derived, revisions } = spec
  const { properties } = fields
  const version = integer(
    revisions === undefined ? 'Number of the last change, from 1.' : 'Number of the revision, from 1.',
  )
  const labels = described(Type.Record(Type.String(), Type.Integer()), 'Labels, with the revision of each.', {
    production: 1,
  })
  const ofRevisions = revisions === undefined ? {} : { labels }
  const item = Type.Object(
    { id, namespace, name, ...properties, ...derived?.properties, version, ...ofRevisions, ...written },
    { title: kind, description },
  )
  return {
    item,
    list: listOf(item),
    listQuery: listQueryOf(spec),
    input: Type.Object({ ...properties }, { title: `${kind}Input`, description }),
  }
}

/** Body of a creation: what the path does not name. */
export function newInputOf({ kind, description, fields }: StoredSpec, { path, hasNamespace }: CreationPath): TObject {
  const taken = pathFieldsOf(fields, path)
  const rest = Object.entries(fields.properties).filter(([field]) => !taken.includes(field))
  const own = hasNamespace ? {} : { namespace: namespaceInput }
  return Type.Object({ ...own, name, ...Object.fromEntries(rest) }, { title: `New${kind}Input`, description })
}

/** Path of a creation, and whether the namespace follows from it. */
export interface CreationPath {
  readonly path: string
  readonly hasNamespace: boolean
}

/** Parameters of a path that are fields: they select the rows of a list, and a creation sets them. */
export function pathFieldsOf(fields: TObject, path: string): readonly string[] {
  return paramNames(path).filter((one) => Object.hasOwn(fields.properties, one))
}

/** Schema of the parameters of a path that are no names of Kubernetes. */
export function paramsOfPath({ fields }: StoredSpec, path: string): TObject {
  const own = pathFieldsOf(fields, path).map((field): [string, TSchema] => [field, fields.properties[field] as TSchema])
  const text = Type.String({ minLength: 1, maxLength: 253, description: 'Object to which the request belongs.' })
  const free = paramNames(path).filter((one) => !['ns', 'namespace', 'name'].includes(one))
  return Type.Object({ ...Object.fromEntries(free.map((one) => [one, text])), ...Object.fromEntries(own) })
}

function listQueryOf({ fields, filters = [], labels }: StoredSpec): TObject {
  const equal = filters.map((field): [string, TSchema] => [
    field,
    Type.Optional(described(fields.properties[field] as TSchema, `Only objects with this \`${field}\`.`)),
  ])
  const labelled =
    labels === undefined
      ? {}
      : {
          label: Type.Optional(
            Type.String({ maxLength: 256, description: `Only objects with this \`${labels}\`: key=value.` }),
          ),
        }
  return Type.Object({
    ...pageQuery,
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    order: Type.Optional(Type.Enum([...listOrders], { default: 'newest', description: 'Order of the list.' })),
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Only objects with this text, in any case.' }),
    ),
    ...labelled,
    ...Object.fromEntries(equal),
  })
}

/** Query of a write. */
export const dryRunQuery = Type.Object({ dryRun: Type.Optional(dryRun) })

/** Query of one object with revisions. */
export const revisionQuery = Type.Object({
  version: Type.Optional(integer('Number of a revision.')),
  label: Type.Optional(described(label, 'Label of a revision; `latest` is the newest one.')),
})

/** Query of revisions, of the history of labels, and of objects below another. */
export const pagesQuery = Type.Object(pageQuery)

/** Path of a label. */
export const labelParams = Type.Object({ label })

/** Body that moves a label; null removes it. */
export const moveInput = (kind: string): TObject =>
  Type.Object(
    {
      version: described(
        Type.Union([integer('Number of a revision.'), Type.Null()]),
        'Revision to which the label points; null removes the label.',
        1,
      ),
    },
    { title: `${kind}LabelInput`, description: 'Moves a label.' },
  )

/** Schemas of revisions: one of them, and a move of a label. */
export function revisionSchemasOf({ kind, fields, derived }: StoredSpec): {
  readonly revision: TObject
  readonly move: TObject
} {
  const version = integer('Number of the revision, from 1.')
  const orNull = (description: string) => described(Type.Union([Type.Integer(), Type.Null()]), description, 1)
  const revision = Type.Object(
    { version, ...fields.properties, ...derived?.properties, ...created },
    { title: `${kind}Revision`, description: 'An immutable revision.' },
  )
  const move = Type.Object(
    {
      label,
      from: orNull('Revision to which the label pointed; null for a new label.'),
      to: orNull('Revision to which it points; null if it was removed.'),
      movedAt: described(time, 'Time of the move.'),
      movedBy: user('Author of the move.'),
    },
    { title: `${kind}LabelMove`, description: 'A move of a label.' },
  )
  return { revision, move }
}

/** Schemas of objects below another: one of them, the body of a new one, and the query of their list. */
export function childSchemasOf({ kind, description, fields, newestPer }: ChildSpec) {
  const current = Type.Boolean({ default: false, description: 'Only objects that no later one replaces.' })
  return {
    item: Type.Object({ id, ...fields.properties, ...created }, { title: kind, description }),
    input: Type.Object({ ...fields.properties }, { title: `${kind}Input`, description }),
    query: Type.Object({ ...pageQuery, ...(newestPer === undefined ? {} : { current: Type.Optional(current) }) }),
  }
}
