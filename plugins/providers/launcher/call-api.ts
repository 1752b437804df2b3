import { anthropicErrors, openAiErrors, responsesErrors } from '#core/model-apis/error-forms.ts'
import type { ErrorForm } from '#core/model-apis/error-forms.ts'
import { InvalidRequest } from '#core/model-apis/invalid-request.ts'
import { responsesTranslation } from '#core/model-apis/translation.ts'
import type { Translation } from '#core/model-apis/translation.ts'
import { invalid } from '#launcher/contract/calls/model-request.ts'
import type { ModelBody, ModelOperation } from '#launcher/contract/calls/model-request.ts'

/** An API of the port: the gateway's own, or one that is translated to chat completions. */
export interface CallApi {
  readonly operation: ModelOperation
  readonly errors: ErrorForm
  /** Undefined: requests and responses pass unchanged. */
  readonly translation?: Translation
}

/** APIs by the names of the port's routes. */
export const callApis = {
  chat: { operation: 'chat/completions', errors: openAiErrors },
  embeddings: { operation: 'embeddings', errors: openAiErrors },
  messages: { operation: 'messages', errors: anthropicErrors },
  countTokens: { operation: 'messages/count_tokens', errors: anthropicErrors },
  responses: { operation: 'chat/completions', errors: responsesErrors, translation: responsesTranslation },
} as const satisfies Readonly<Record<string, CallApi>>

/** Translates a request. Throws `Refusal`. */
export function translateRequest({ request }: Translation, body: ModelBody): { body: ModelBody; bytes: Buffer } {
  try {
    const translated = request(body)
    return { body: translated, bytes: Buffer.from(JSON.stringify(translated)) }
  } catch (error) {
    throw error instanceof InvalidRequest ? invalid(error.message) : error
  }
}
