import { streamResponse } from '#plugins/recording/contract/format/stream-response.ts'
import { isObject } from '#core/json/is-object.ts'
import { anthropicErrors, openAiErrors } from '#core/model-apis/error-forms.ts'
import { noReply } from './http-reply.ts'
import type { HttpReply } from './http-reply.ts'
import type { Replay } from './replay.ts'

/** Operations below `/v1`, as in the gateway. */
export const modelOperations = ['chat/completions', 'messages', 'embeddings'] as const

/** One of `modelOperations`. */
export type ReplayedOperation = (typeof modelOperations)[number]

/** Responds to a model call with its recorded response, as a stream if requested. Errors have the format of the operation's API. */
export async function respondToModelCall(
  replay: Replay,
  operation: ReplayedOperation,
  body: Readonly<Record<string, unknown>>,
): Promise<HttpReply | typeof noReply> {
  const answer = await replay.answer({ channel: 'model', request: { operation, body } })
  if (answer.kind === 'aborted') return noReply
  if (answer.kind === 'diverged') return diverged(operation, answer.problem)
  if (answer.kind === 'error') {
    const { status, code, message } = answer
    // A status below 400 is not an error: the recording was edited by hand.
    return toError(operation, { status: status < 400 ? 502 : status, code, message })
  }
  const whole = isObject(answer.body) ? answer.body : {}
  if (body.stream !== true || operation === 'embeddings') return { status: 200, body: whole }
  const frames = streamResponse(operation, whole)
  return frames === undefined
    ? toError(operation, { status: 502, code: 'not_replayable', message: 'The recorded response cannot be streamed.' })
    : { status: 200, frames }
}

/** The models of the recording, in the format of OpenAI's list. */
export function listReplayedModels({ models }: Replay): HttpReply {
  const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'recording' }))
  return { status: 200, body: { object: 'list', data } }
}

// Not 409: the SDKs would make the call again, which diverges once more.
function diverged(operation: ReplayedOperation, problem: string): HttpReply {
  const error = { status: 422, code: 'replay_diverged', message: `The replay differs from its recording: ${problem}` }
  return { ...toError(operation, error), headers: { 'x-should-retry': 'false' } }
}

function toError(
  operation: ReplayedOperation,
  error: { readonly status: number; readonly code: string | null; readonly message: string },
): HttpReply {
  const form = operation === 'messages' ? anthropicErrors : openAiErrors
  return { status: error.status, body: form.body({ ...error, param: null, headers: {} }) }
}
