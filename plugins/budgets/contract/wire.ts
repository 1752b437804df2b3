import {
  either,
  enumOf,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  opaque,
  optionalField,
  reply,
  string,
} from '#schemas/wire/schema.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

const MAX_TOKENS = 10_000_000
const holdId = string({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', maxLength: 36 })
const name = string({ maxLength: 317 })
// Token counts of providers may be any number; they are clamped.
const tokens = number(0)

const holdFields = {
  runId: nullable(holdId),
  /** Route as `namespace/name`. */
  model: string({ minLength: 1, maxLength: 317 }),
  operation: enumOf('chat/completions', 'embeddings'),
  inputTokens: integer(0, MAX_TOKENS),
  maxOutputTokens: nullable(integer(1, MAX_TOKENS)),
  choices: optionalField(integer(1, 128)),
}

const hold = reply({
  id: holdId,
  amount: nullable(string()),
  currency: nullable(string()),
  maxOutputTokens: integer(0, Number.MAX_SAFE_INTEGER),
  expiresAt: string(),
  renewEverySeconds: integer(1, 86_400),
  remaining: nullable(string()),
})

/** Money that is held for one call. */
export type OpenedHold = Static<typeof hold>

/** Reserves money for a model call; the header `Idempotency-Key` is a UUID. */
export const openHold = statePath({
  method: 'POST',
  path: '/budgets/holds',
  request: object(holdFields),
  status: 201,
  response: hold,
})

/** See {@link openHold}. */
export type HoldRequest = Static<typeof openHold.request>

/** A refused call: the response of the route for a single hold. */
const refused = reply({
  status: integer(400, 599),
  code: string(),
  detail: string(),
  headers: opaque<Readonly<Record<string, string>>>({ type: 'object', additionalProperties: { type: 'string' } }),
})

/** See {@link refused}. */
export type RefusedOpening = Static<typeof refused>

/** Reserves money for several calls, in their order. `key` corresponds to `Idempotency-Key` of a single hold. */
export const openHolds = statePath({
  method: 'POST',
  path: '/budgets/openings',
  request: object({ items: list(object({ key: holdId, ...holdFields }), { minItems: 1, maxItems: 100 }) }),
  status: 200,
  response: reply({ items: list(either(hold, refused)) }),
})

/** See {@link openHolds}. */
export type Openings = Static<typeof openHolds.request>

const settleFields = {
  /** For null, the whole hold is charged. */
  usage: nullable(
    object({
      inputTokens: tokens,
      outputTokens: tokens,
      cachedTokens: tokens,
      reasoningTokens: tokens,
      cacheWriteTokens: optionalField(tokens),
      cacheWrite1hTokens: optionalField(tokens),
    }),
  ),
  provider: nullable(name),
  model: optionalField(string({ maxLength: 256 })),
  estimated: flag,
  outcome: enumOf('succeeded', 'failed', 'aborted'),
}
const endedFields = {
  cost: nullable(reply({ amount: string(), currency: string() })),
  remaining: nullable(string()),
  state: string(),
}

/** A hold that has ended: cost of the call, and remaining budget. */
export const endedHold = reply(endedFields)

/** See {@link endedHold}. */
export type EndedResponse = Static<typeof endedHold>

/** Charges a call to its hold. */
export const settleHold = statePath({
  method: 'POST',
  path: '/budgets/holds/:id/settle',
  request: object(settleFields),
  status: 200,
  response: endedHold,
})

/** See {@link settleHold}. */
export type SettleRequest = Static<typeof settleHold.request>

/** Releases the money of a call that was not made. */
export const releaseHold = statePath({
  method: 'POST',
  path: '/budgets/holds/:id/release',
  status: 200,
  response: endedHold,
})

/** Charges several calls to their holds, in their order. */
export const settleHolds = statePath({
  method: 'POST',
  path: '/budgets/settlements',
  request: object({ items: list(object({ id: holdId, ...settleFields }), { minItems: 1, maxItems: 500 }) }),
  status: 200,
  response: reply({
    items: list(either(reply({ id: holdId, ...endedFields }), reply({ id: holdId, code: enumOf('not_found') }))),
  }),
})

/** Extends the leases of holds; `renewed` lists live holds, and holds that the gateway has settled. */
export const extendHolds = statePath({
  method: 'POST',
  path: '/budgets/holds/renew',
  request: object({ ids: list(holdId, { minItems: 1, maxItems: 500 }) }),
  status: 200,
  response: reply({ expiresAt: nullable(string()), renewed: list(holdId) }),
})

/** Remaining money within the limits on a run of the agent, or on the agent itself without the query `runId`; null: no limit counts money. */
export const remaining = statePath({
  method: 'GET',
  path: '/budgets/remaining',
  status: 200,
  response: reply({ budget: nullable(reply({ remaining: string(), currency: string() })) }),
})
