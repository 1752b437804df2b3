import { isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { anthropicErrors, openAiErrors, responsesErrors } from '#core/model-apis/error-forms.ts'
import type { ErrorForm } from '#core/model-apis/error-forms.ts'
import { InvalidRequest } from '#core/model-apis/invalid-request.ts'
import { messagesTranslation, responsesTranslation } from '#core/model-apis/translation.ts'
import type { Translation } from '#core/model-apis/translation.ts'
import { GatewayError } from '../errors/gateway-error.ts'

/** The API that a caller speaks: the gateway's own, or one that is translated to chat completions and back. */
export interface CallerApi {
  readonly errors: ErrorForm
  /** Undefined: requests and responses pass unchanged. */
  readonly translation?: Translation
}

/** OpenAI's chat completions, embeddings and models. */
export const openAiApi: CallerApi = { errors: openAiErrors }

/** Anthropic's Messages API. */
export const messagesApi: CallerApi = { errors: anthropicErrors, translation: messagesTranslation }

/** Anthropic's Messages API for providers that have it: no translation. */
export const nativeMessagesApi: CallerApi = { errors: anthropicErrors }

/** OpenAI's Responses API. */
export const responsesApi: CallerApi = { errors: responsesErrors, translation: responsesTranslation }

/** The error format for a path, including paths without a route. */
export function errorsOfPath(path = ''): ErrorForm {
  return /^\/v1\/messages(?:\/|$)/.test(path) ? anthropicErrors : openAiErrors
}

/** The request as a chat completion, if its API is translated. Throws `GatewayError` with the field of the caller's API. */
export function toChatRequest({ translation }: CallerApi, body: unknown): unknown {
  if (translation === undefined) return body
  if (!isObject(body))
    throw new Fail('invalid_body', undefined, { errors: [{ pointer: '', detail: 'must be a JSON object' }] })
  try {
    return translation.request(body)
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error
    throw new GatewayError(400, 'invalid_body', `${error.message}.`, { param: error.field })
  }
}
