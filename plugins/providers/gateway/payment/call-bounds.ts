import { Fail } from '#core/errors/domain-error.ts'
import { estimateInputTokens } from '#core/model-apis/estimate-input.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import type { Operation } from '../../contract/adapter.ts'
import { toProviderRequest } from '../request/model-request.ts'
import type { Body } from '../request/model-request.ts'

/** Values that bound the cost of a request. */
export interface CallBounds {
  readonly inputTokens: number
  /** Limit of each choice, at most that of the route; undefined: neither request nor route sets one. */
  readonly maxOutputTokens: number | undefined
  readonly choices: number
}

/** The parts of a request and its route that determine its bounds. */
export interface BoundedCall {
  readonly operation: Operation
  readonly body: Body
  readonly route: { readonly spec: Pick<ModelRouteSpec, 'params' | 'maxOutputTokens'> }
  readonly native?: object | undefined
}

const MAX_TOKENS = 10_000_000
const MAX_CHOICES = 128

/** Reads the bounds of a request as providers receive it, including defaults of the route. Throws `invalid_body`. */
export function readCallBounds({ operation, body, route, native }: BoundedCall): CallBounds {
  const inputTokens = estimateInputTokens(Buffer.from(JSON.stringify(body)), body)
  if (operation === 'embeddings') return { inputTokens, maxOutputTokens: 0, choices: 1 }
  const sent = toSent({ operation, body, route, native })
  const most = Math.min(outputLimitIn(sent) ?? Infinity, route.spec.maxOutputTokens ?? Infinity)
  const maxOutputTokens = Number.isFinite(most) ? most : undefined
  return { inputTokens, maxOutputTokens, choices: within(sent, 'n', MAX_CHOICES) ?? 1 }
}

/** Returns the request with at most this output limit: a filter may have raised or removed it. Embeddings have no limit. */
export function withOutputLimit(call: BoundedCall, maxOutputTokens: number): Body {
  const { operation, body } = call
  const limit = outputLimitIn(toSent(call))
  if (operation === 'embeddings' || (limit !== undefined && limit <= maxOutputTokens)) return body
  // A field that is null sets no limit.
  const { max_tokens: _, max_completion_tokens: completion, ...rest } = body
  // Models that reason refuse max_tokens. A default of the route must not stand beside the limit.
  const isFree = outputLimitIn(toSent({ ...call, body: rest })) === undefined
  const field = isFree && typeof completion === 'number' ? 'max_completion_tokens' : 'max_tokens'
  return { ...rest, [field]: maxOutputTokens }
}

function toSent({ operation, body, route, native }: BoundedCall): Body {
  return native === undefined ? toProviderRequest({ operation, body, params: route.spec.params }, '') : body
}

function outputLimitIn(sent: Body): number | undefined {
  const limits = limitFields.flatMap((field) => within(sent, field, MAX_TOKENS) ?? [])
  return limits.length === 0 ? undefined : Math.max(...limits)
}

const limitFields = ['max_tokens', 'max_completion_tokens'] as const

function within(body: Body, field: string, most: number): number | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most) return value
  throw new Fail('invalid_body', undefined, {
    errors: [{ pointer: `/${field}`, detail: `must be a whole number from 1 to ${most}` }],
  })
}
