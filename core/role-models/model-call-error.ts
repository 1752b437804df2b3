import { passingProblems } from '#core/retrieval/embeddings-error.ts'
import type { EmbeddingsProblem } from '#core/retrieval/embeddings-error.ts'

/** Why there is no response of a model: a closed list, safe for conditions, responses and labels. */
export type ModelCallProblem = EmbeddingsProblem | 'guardrail_blocked' | 'invalid_request'

/** A model call of a role failed. The message contains the reason, never text from the gateway or a provider. */
export class ModelCallFailed extends Error {
  override readonly name = 'ModelCallFailed'
  readonly reason: ModelCallProblem
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  constructor(reason: ModelCallProblem, retryAfterMs?: number) {
    super(`the model call failed: ${reason}`)
    this.reason = reason
    this.retryable = passingProblems.has(reason)
    this.retryAfterMs = retryAfterMs
  }
}
