import { Type } from 'typebox'
import type { Static } from 'typebox'
import { DNS_LABEL_PATTERN } from '../kinds/parts.ts'
import { described } from '../values/described.ts'
import { shownAs } from '../values/shown-as.ts'
import { listOf, namespaceQuery, pageQuery, scope, time, timeOrNull } from './common.ts'

const strict = { additionalProperties: false }
const id = Type.String({
  format: 'uuid',
  description: 'UUIDv7 of the erasure.',
  examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0c'],
})

const state = Type.Enum(['queued', 'running', 'finished'], {
  description: 'queued: runs are being stopped; running: data is being erased; finished.',
  examples: ['running'],
})

/** State of an erasure. */
export type ErasureState = Static<typeof state>

const erased = Type.Array(
  Type.Object(
    {
      of: Type.String({ description: 'What was erased: runs, memory, feedback, shares or cost.', examples: ['runs'] }),
      count: Type.Integer({ description: 'Number of its erased items so far.', examples: [12] }),
    },
    { title: 'ErasedItems' },
  ),
  { description: 'Erased items so far, by what they are; a kind without any is absent.' },
)

/** The erasure of a person. */
export const Erasure = Type.Object(
  {
    id,
    namespace: described(
      Type.Union([Type.String(), Type.Null()]),
      'Only data of this namespace is erased; null: of the whole cluster.',
      'default',
    ),
    subject: described(
      Type.Union([Type.String(), Type.Null()]),
      'Name of the person or the account; null once it is finished. The audit log keeps it.',
      'ada@example.com',
    ),
    state,
    requestedBy: Type.String({ description: 'Operator who requested it.', examples: ['operator@example.com'] }),
    requestedAt: described(time, 'Time of the request.'),
    finishedAt: described(timeOrNull, 'Time of the end; null before.'),
    erased,
  },
  { title: 'Erasure' },
)

/** A page of erasures, newest first. */
export const ErasureList = listOf(Erasure)

/** Body of `POST /api/erasures`. */
export const ErasureInput = Type.Object(
  {
    subject: Type.String({
      minLength: 1,
      maxLength: 317,
      description: 'Exact name of the person or the account, as the cluster authenticates it.',
      examples: ['ada@example.com'],
    }),
    namespace: Type.Optional(
      Type.String({
        maxLength: 63,
        pattern: DNS_LABEL_PATTERN,
        description: 'Erases only data of this namespace. Default: the whole cluster, which needs the right for it.',
        examples: ['default'],
      }),
    ),
  },
  { ...strict, title: 'ErasureInput' },
)

/** Query of `GET /api/erasures`. */
export const ErasureListQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope), ...pageQuery },
  strict,
)

/** Path of an erasure; any string, since a malformed id gets the response for an unknown one. */
export const ErasureParams = Type.Object({ id: shownAs(Type.String({ maxLength: 1024 }), id) })
