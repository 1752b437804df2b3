/** Why there are no embeddings: a closed list, safe for conditions, responses and labels. */
export type EmbeddingsProblem =
  | 'no_identity'
  | 'unreachable'
  | 'timeout'
  | 'refused'
  | 'unknown_route'
  | 'throttled'
  | 'budget_exceeded'
  | 'price_unknown'
  | 'cap_exceeded'
  | 'failed'
  | 'invalid_answer'

/** Problems that may be gone later without a change of the request. */
export const passingProblems: ReadonlySet<string> = new Set<EmbeddingsProblem>([
  'unreachable',
  'timeout',
  'throttled',
  'budget_exceeded',
  'failed',
])

/** Texts could not be embedded. The message contains the reason, never text from the gateway or a provider. */
export class EmbeddingsUnavailable extends Error {
  override readonly name = 'EmbeddingsUnavailable'
  readonly reason: EmbeddingsProblem
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  constructor(reason: EmbeddingsProblem, retryAfterMs?: number) {
    super(`embeddings are not available: ${reason}`)
    this.reason = reason
    this.retryable = passingProblems.has(reason)
    this.retryAfterMs = retryAfterMs
  }
}
