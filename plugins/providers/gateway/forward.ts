import type { AnswerSink } from '../adapter.ts'
import { brokenOff, fromAnswer, fromConnection } from './failure.ts'
import type { NamedProvider } from './failure.ts'
import { GatewayError } from './openai-error.ts'

/** One try: sends to a target; the answer goes into the sink. */
export interface Attempt {
  readonly provider: NamedProvider
  send(sink: AnswerSink): Promise<void>
}

/** What a call is forwarded with. */
export interface Forwarding {
  readonly client: AnswerSink
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
  /** Every failed try, also one that a later try makes up for. */
  readonly onFailure: (provider: NamedProvider, failure: GatewayError) => void
}

const maxErrorBytes = 64 * 1024

/**
 * Tries the attempts in order until one answers well. Overload (429), server errors, timeouts and lost connections move on
 * to the next; what the client did wrong does not. Once bytes have reached the client there is no second try. Resolves
 * with the index of the attempt that answered; throws `GatewayError`.
 */
export async function forward(attempts: readonly Attempt[], forwarding: Forwarding): Promise<number> {
  let last: GatewayError | undefined
  for (const [index, attempt] of attempts.entries()) {
    forwarding.signal.throwIfAborted()
    const { failure, committed } = await tryOnce(attempt, forwarding)
    if (failure === undefined) return index
    forwarding.onFailure(attempt.provider, failure)
    if (committed) throw failure
    last = failure
    if (failure.status < 500 && failure.status !== 429) break
  }
  throw last ?? new GatewayError(502, 'bad_gateway', 'The route has no provider.')
}

interface Tried {
  readonly failure: GatewayError | undefined
  readonly committed: boolean
}

async function tryOnce(attempt: Attempt, { client, signal }: Forwarding): Promise<Tried> {
  let refused: { status: number; retryAfter: string | undefined } | undefined
  let committed = false
  const errorBody: Buffer[] = []
  let size = 0
  try {
    await attempt.send({
      head(status, contentType, retryAfter) {
        if (status < 200 || status > 299) {
          refused = { status, retryAfter }
          return
        }
        committed = true
        client.head(status, contentType, undefined)
      },
      data(chunk) {
        if (committed) return client.data(chunk)
        size += chunk.length
        if (size <= maxErrorBytes) errorBody.push(Buffer.from(chunk))
      },
    })
  } catch (error) {
    if (signal.aborted) throw error
    if (committed) return { failure: brokenOff(attempt.provider), committed }
    return { failure: error instanceof GatewayError ? error : fromConnection(attempt.provider, error), committed }
  }
  if (refused === undefined) return { failure: undefined, committed }
  return { failure: fromAnswer(attempt.provider, { ...refused, body: Buffer.concat(errorBody) }), committed }
}
