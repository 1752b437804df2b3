import { Type } from 'typebox'
import type { Static } from 'typebox'

const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
const closed = { additionalProperties: false } as const
// Provider counts may be any number; what is counted is clamped.
const tokens = Type.Number({ minimum: 0 })
const money = Type.Union([Type.Object({ amount: Type.String(), currency: Type.String() }, closed), Type.Null()])
const nullableText = Type.Union([Type.String(), Type.Null()])

/** Id of a hold, and key of a request. */
export const HoldId = Type.String({ pattern: uuid, maxLength: 36 })

const holdFields = {
  runId: Type.Union([HoldId, Type.Null()]),
  model: Type.String({ minLength: 1, maxLength: 317 }),
  operation: Type.Union([Type.Literal('chat/completions'), Type.Literal('embeddings')]),
  inputTokens: Type.Integer({ minimum: 0, maximum: 10_000_000 }),
  maxOutputTokens: Type.Union([Type.Integer({ minimum: 1, maximum: 10_000_000 }), Type.Null()]),
  choices: Type.Optional(Type.Integer({ minimum: 1, maximum: 128 })),
}

/** Body of a hold. */
export const HoldRequest = Type.Object(holdFields, closed)

/** See {@link HoldRequest}. */
export type HoldRequest = Static<typeof HoldRequest>

/** A hold that was made. */
export const HoldResponse = Type.Object(
  {
    id: HoldId,
    amount: nullableText,
    currency: nullableText,
    maxOutputTokens: Type.Integer(),
    expiresAt: Type.String(),
    renewEverySeconds: Type.Integer(),
    remaining: nullableText,
  },
  closed,
)

/** Bodies of several holds. `key` is what `Idempotency-Key` is for one. */
export const Openings = Type.Object(
  { items: Type.Array(Type.Object({ key: HoldId, ...holdFields }, closed), { minItems: 1, maxItems: 100 }) },
  closed,
)

/** See {@link Openings}. */
export type Openings = Static<typeof Openings>

/** A call that may not be made: status, code, detail and headers are those of the route of one hold. */
export const RefusedOpening = Type.Object(
  {
    status: Type.Integer(),
    code: Type.String(),
    detail: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
  },
  closed,
)

/** See {@link RefusedOpening}. */
export type RefusedOpening = Static<typeof RefusedOpening>

/** Results of several holds, in their order. */
export const OpeningsResponse = Type.Object({ items: Type.Array(Type.Union([HoldResponse, RefusedOpening])) }, closed)

const settleFields = {
  usage: Type.Union([
    Type.Object(
      {
        inputTokens: tokens,
        outputTokens: tokens,
        cachedTokens: tokens,
        reasoningTokens: tokens,
        cacheWriteTokens: Type.Optional(tokens),
        cacheWrite1hTokens: Type.Optional(tokens),
      },
      closed,
    ),
    Type.Null(),
  ]),
  provider: Type.Union([Type.String({ maxLength: 317 }), Type.Null()]),
  model: Type.Optional(Type.String({ maxLength: 256 })),
  estimated: Type.Boolean(),
  outcome: Type.Union([Type.Literal('succeeded'), Type.Literal('failed'), Type.Literal('aborted')]),
}

/** Body of a settle. */
export const SettleRequest = Type.Object(settleFields, closed)

/** See {@link SettleRequest}. */
export type SettleRequest = Static<typeof SettleRequest>

/** A hold that has ended. */
export const EndedResponse = Type.Object({ cost: money, remaining: nullableText, state: Type.String() }, closed)

/** Bodies of several settles. */
export const Settlements = Type.Object(
  { items: Type.Array(Type.Object({ id: HoldId, ...settleFields }, closed), { minItems: 1, maxItems: 500 }) },
  closed,
)

/** Result of several settles, in their order. */
export const SettlementsResponse = Type.Object({
  items: Type.Array(
    Type.Union([
      Type.Object({ id: HoldId, cost: money, remaining: nullableText, state: Type.String() }, closed),
      Type.Object({ id: HoldId, code: Type.Literal('not_found') }, closed),
    ]),
  ),
})

/** Ids of holds whose leases are extended. */
export const RenewRequest = Type.Object({ ids: Type.Array(HoldId, { minItems: 1, maxItems: 500 }) }, closed)

/** Holds whose leases were extended. */
export const RenewResponse = Type.Object({ expiresAt: nullableText, renewed: Type.Array(HoldId) }, closed)
