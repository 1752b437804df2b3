import type { ResponseSink } from '../../contract/adapter.ts'
import type { Circuit, CircuitPass } from '../../circuits/circuit.ts'
import { FilterStop } from '../../filters/session/filter-stop.ts'
import {
  circuitsOpen,
  fromConnection,
  fromResponse,
  incompleteResponse,
  noJsonResponse,
} from '../errors/provider-failure.ts'
import type { NamedProvider } from '../errors/provider-failure.ts'
import { GatewayError } from '../errors/gateway-error.ts'
import { createAttemptSink } from './attempt-sink.ts'
import { isOfTarget } from './retry-rules.ts'
import type { MayRetry } from './retry-rules.ts'

/** A call as a provider received it. */
export interface SentCall {
  readonly hasKey: boolean
}

/** One attempt: sends to a target and writes the response to the sink. */
export interface TargetAttempt {
  readonly provider: NamedProvider
  readonly circuit: Circuit | undefined
  send(sink: ResponseSink): Promise<SentCall>
}

/** Options of a forwarded call. */
export interface ForwardOptions {
  readonly client: ResponseSink
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly mayRetry: MayRetry
  /** Monotonic time at which the client stops waiting. */
  readonly deadlineAt: number | undefined
  /** Called for every failed attempt, even if a later one succeeds. */
  readonly onFailure: (provider: NamedProvider, failure: GatewayError) => void
}

/**
 * Makes the attempts in order until one succeeds. The rules of the route decide which failures cause the next one. There is no further attempt once
 * bytes have been sent to the client, or when the client no longer waits. A target whose circuit is open is passed over. Returns the index of the
 * successful attempt. Throws `GatewayError`.
 */
export async function tryInOrder(attempts: readonly TargetAttempt[], forwarding: ForwardOptions): Promise<number> {
  let last: GatewayError | undefined
  for (const [index, attempt] of attempts.entries()) {
    forwarding.signal.throwIfAborted()
    if (last !== undefined && performance.now() >= (forwarding.deadlineAt ?? Infinity)) break
    const pass = attempt.circuit === undefined ? freePass : attempt.circuit.enter()
    if (pass === undefined) continue
    const { failure, committed } = await tryOnce(attempt, pass, forwarding)
    if (failure === undefined) return index
    forwarding.onFailure(attempt.provider, failure)
    if (committed || !forwarding.mayRetry(failure)) throw failure
    last = failure
  }
  if (last !== undefined) throw last
  if (attempts.length === 0) throw new GatewayError(502, 'bad_gateway', 'The route has no provider.')
  throw circuitsOpen(Math.min(...attempts.map(({ circuit }) => circuit?.waitMs() ?? 0)))
}

const freePass: CircuitPass = {
  began: () => undefined,
  succeeded: () => undefined,
  failed: () => undefined,
  left: () => undefined,
}

interface Tried {
  readonly failure: GatewayError | undefined
  readonly committed: boolean
}

async function tryOnce(attempt: TargetAttempt, pass: CircuitPass, forwarding: ForwardOptions): Promise<Tried> {
  try {
    const tried = await sendOnce(attempt, pass, forwarding)
    if (tried.failure === undefined) pass.succeeded()
    else if (isOfTarget(tried.failure)) pass.failed(tried.failure.reason)
    return tried
  } finally {
    pass.left()
  }
}

async function sendOnce(
  { provider, send }: TargetAttempt,
  pass: CircuitPass,
  { client, signal }: ForwardOptions,
): Promise<Tried> {
  const answer = createAttemptSink(client, pass.began)
  let sent: SentCall
  try {
    sent = await send(answer.sink)
  } catch (error) {
    if (signal.aborted || error instanceof FilterStop) throw error
    if (answer.committed()) return { failure: incompleteResponse(provider), committed: true }
    if (answer.isUnreadable()) return { failure: noJsonResponse(provider), committed: false }
    return { failure: error instanceof GatewayError ? error : fromConnection(provider, error), committed: false }
  }
  const refused = answer.refused()
  if (refused !== undefined) return { failure: fromResponse(provider, { ...refused, ...sent }), committed: false }
  // Without a byte of a body there is no response.
  if (!answer.committed()) return { failure: noJsonResponse(provider), committed: false }
  return { failure: undefined, committed: true }
}
