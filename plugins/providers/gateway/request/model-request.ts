import { asObject, isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import { toRequestFields } from '#schemas/kinds/model-params.ts'
import type { Operation } from '../../contract/adapter.ts'

/** A JSON object of an OpenAI request. */
export type Body = Readonly<Record<string, unknown>>

/** Validates the fields that the gateway itself reads. The provider validates all others. Throws `invalid_body`. */
export function readModelRequest(operation: Operation, body: unknown): Body & { readonly model: string } {
  if (!isObject(body)) throw invalid('', 'must be a JSON object')
  const { model } = body
  if (model === undefined || model === null || model === '') throw required('/model')
  if (typeof model !== 'string') throw invalid('/model', 'must be a string')
  if (operation === 'embeddings') {
    if (body.input === undefined) throw required('/input')
    return { ...body, model }
  }
  if (body.messages === undefined) throw required('/messages')
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    throw invalid('/messages', 'must be a list of at least one message')
  if (!body.messages.every(isObject)) throw invalid('/messages', 'must be a list of objects')
  if (body.stream !== undefined && body.stream !== null && typeof body.stream !== 'boolean')
    throw invalid('/stream', 'must be true or false')
  return { ...body, model }
}

/** A validated request, and the default parameters of its route. */
export interface RoutedRequest {
  readonly operation: Operation
  readonly body: Body
  readonly params: ModelRouteSpec['params']
}

/**
 * The request to a provider, with the provider's own model id. Parameters of the route are defaults that the request overrides.
 * Usage is always requested, since metering needs it.
 */
export function toProviderRequest({ operation, body, params }: RoutedRequest, model: string): Body {
  if (operation === 'embeddings') return { ...body, model }
  const usage =
    body.stream === true ? { stream_options: { ...asObject(body.stream_options), include_usage: true } } : {}
  return { ...toRequestFields(params ?? {}), ...body, model, ...usage }
}

/** Whether the client requested the usage of a stream. */
export function wantsUsage(body: Body): boolean {
  return isObject(body.stream_options) && body.stream_options.include_usage === true
}

function required(pointer: string): Fail {
  return invalid(pointer, 'is required')
}

function invalid(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
