import type { Dispatcher } from 'undici'
import { collectPieces } from '#core/http-client/request.ts'
import type { AnswerPieces } from '#core/http-client/request.ts'
import { KubeError } from './status.ts'

/** An object in etcd is at most 1.5 MiB. A page of 500 stays far below this, and a runaway response cannot exhaust the memory. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/**
 * Sends a request and collects the response. Rejects with undici's error, or at once with the signal's reason. Uses undici's handlers: the
 * stream and iterator of `request` cost more than all else (a page of 240 KB: 325 against 145 us).
 */
export function collectAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<AnswerPieces> {
  return collectPieces(dispatcher, options, { most: MAX_ANSWER_BYTES, tooLarge: answerTooLarge, signal })
}

/** Error for a response above the limit. */
export function answerTooLarge(): KubeError {
  return new KubeError(502, 'BadGateway', 'The response of the cluster is too large.')
}
