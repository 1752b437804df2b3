import type { ResponseSink } from '../../contract/adapter.ts'
import { FilterStop } from '../../filters/session/filter-stop.ts'
import { incompleteResponse, fromResponse, fromConnection } from '../errors/provider-failure.ts'
import type { NamedProvider } from '../errors/provider-failure.ts'
import { GatewayError } from '../errors/gateway-error.ts'

/** A call as a provider received it. */
export interface SentCall {
  readonly hasKey: boolean
}

/** One attempt: sends to a target and writes the response to the sink. */
export interface TargetAttempt {
  readonly provider: NamedProvider
  send(sink: ResponseSink): Promise<SentCall>
}

/** Options of a forwarded call. */
export interface ForwardOptions {
  readonly client: ResponseSink
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Called for every failed attempt, even if a later one succeeds. */
  readonly onFailure: (provider: NamedProvider, failure: GatewayError) => void
}

const maxErrorBytes = 64 * 1024

/**
 * Makes the attempts in order until one succeeds. Overload (429), server errors, timeouts and lost connections cause the next
 * one; client errors do not. There is no further attempt once bytes have been sent to the client. Returns the index of the
 * successful attempt. Throws `GatewayError`.
 */
export async function tryInOrder(attempts: readonly TargetAttempt[], forwarding: ForwardOptions): Promise<number> {
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

async function tryOnce(attempt: TargetAttempt, { client, signal }: ForwardOptions): Promise<Tried> {
  let refused: { status: number; retryAfter: string | undefined } | undefined
  let committed = false
  const errorBody: Buffer[] = []
  let size = 0
  let sent: SentCall
  try {
    sent = await attempt.send({
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
    if (signal.aborted || error instanceof FilterStop) throw error
    if (committed) return { failure: incompleteResponse(attempt.provider), committed }
    return { failure: error instanceof GatewayError ? error : fromConnection(attempt.provider, error), committed }
  }
  if (refused === undefined) return { failure: undefined, committed }
  return { failure: fromResponse(attempt.provider, { ...refused, ...sent, body: Buffer.concat(errorBody) }), committed }
}
