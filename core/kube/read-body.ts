import type { Dispatcher } from 'undici'
import { KubeError } from './status.ts'

/** A whole answer, its body in the pieces that came off the socket. */
export interface Answer {
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  readonly pieces: readonly Buffer[]
}

/** An object is at most 1.5 MiB in etcd; a page of 500 stays far below this, and a runaway answer cannot fill the memory. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/**
 * Sends a request and collects its answer; rejects with what undici says, or at once with the signal's reason.
 * By undici's handlers: the stream and the iterator of `request` cost more than all else (a page of 240 KB: 325 against 145 us).
 */
export function collect(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  let abort = (): void => undefined
  // undici starts a request when it has a connection for it: behind a frozen server never, so this does not wait for it.
  const onAbort = (): void => {
    reject(signal.reason)
    abort()
  }
  if (signal.aborted) onAbort()
  else {
    signal.addEventListener('abort', onAbort, { once: true })
    const started = (controller: Dispatcher.DispatchController): void => {
      abort = () => controller.abort(new Error('aborted', { cause: signal.reason }))
      if (signal.aborted) abort()
    }
    dispatcher.dispatch(options, { onRequestStart: started, ...collector(resolve, reject) })
  }
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

function collector(resolve: (answer: Answer) => void, reject: (error: unknown) => void): Dispatcher.DispatchHandler {
  const pieces: Buffer[] = []
  let head: Pick<Answer, 'status' | 'headers'> = { status: 0, headers: {} }
  let size = 0
  return {
    onResponseStart: (_controller, status, headers) => {
      head = { status, headers }
    },
    onResponseData: (_controller, piece) => {
      size += piece.length
      // undici aborts the request with what a handler throws.
      if (size > MAX_ANSWER_BYTES) throw tooLarge()
      pieces.push(piece)
    },
    onResponseEnd: () => resolve({ ...head, pieces }),
    onResponseError: (_controller, error) => reject(error),
  }
}

/** The failure for an answer above the bound. */
export function tooLarge(): KubeError {
  return new KubeError(502, 'BadGateway', 'The answer of the cluster is too large.')
}
