import type { AnswerSink } from '../adapter.ts'
import { ProviderFailure } from './openai-error.ts'

/** One try: sends to a target; the answer goes into the sink. */
export type Attempt = (sink: AnswerSink) => Promise<void>

const maxErrorBytes = 64 * 1024

/**
 * Tries the attempts in order until one answers well. Overload (429), server errors, timeouts and lost connections move on
 * to the next; what the client did wrong does not. Once bytes have reached the client there is no second try. Resolves
 * with the index of the attempt that answered; throws `ProviderFailure`.
 */
export async function forward(attempts: readonly Attempt[], client: AnswerSink, signal: AbortSignal): Promise<number> {
  let last: ProviderFailure | undefined
  for (const [index, attempt] of attempts.entries()) {
    signal.throwIfAborted()
    const failure = await tryOnce(attempt, client, signal)
    if (failure === undefined) return index
    last = failure
    if (failure.status < 500 && failure.status !== 429) break
  }
  throw last ?? new ProviderFailure(502, 'bad_gateway', 'The route has no provider.')
}

async function tryOnce(
  attempt: Attempt,
  client: AnswerSink,
  signal: AbortSignal,
): Promise<ProviderFailure | undefined> {
  let refused: { status: number; retryAfter: string | undefined } | undefined
  let committed = false
  const errorBody: Buffer[] = []
  let size = 0
  try {
    await attempt({
      head(status, contentType, retryAfter) {
        if (status < 200 || status > 299) return void (refused = { status, retryAfter })
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
    if (committed) throw new ProviderFailure(502, 'bad_gateway', 'The answer of the provider broke off.')
    return error instanceof ProviderFailure ? error : toFailure(error)
  }
  return refused === undefined ? undefined : fromAnswer(refused.status, refused.retryAfter, Buffer.concat(errorBody))
}

function toFailure(error: unknown): ProviderFailure {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (/TIMEOUT/.test(code)) return new ProviderFailure(504, 'provider_timeout', 'The provider did not answer in time.')
  return new ProviderFailure(502, 'bad_gateway', 'The provider could not be reached.')
}

// A provider quotes the key in its 401 and names its insides in a 5xx: only what the client can act on is relayed.
function fromAnswer(status: number, retryAfter: string | undefined, body: Buffer): ProviderFailure {
  if (status === 429)
    return new ProviderFailure(429, 'rate_limit_exceeded', 'The provider is overloaded.', retryAfter ?? '1')
  if (status === 401 || status === 403)
    return new ProviderFailure(502, 'provider_refused_key', 'The provider refused the key of this route.')
  if (status === 408 || status === 504)
    return new ProviderFailure(504, 'provider_timeout', 'The provider did not answer in time.')
  if (status >= 400 && status < 500)
    return new ProviderFailure(status === 404 ? 400 : status, 'provider_refused', messageIn(body))
  return new ProviderFailure(502, 'bad_gateway', 'The provider failed.')
}

function messageIn(body: Buffer): string {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { message?: unknown } }
    if (typeof error?.message === 'string') return error.message.slice(0, 1000)
  } catch {
    // Not an OpenAI error: nothing that could be said.
  }
  return 'The provider refused the request.'
}
