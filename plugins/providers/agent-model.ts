import type { Caller } from '#core/cluster/caller.ts'
import type { Observed } from '#core/cluster/observed-objects.ts'

/** A chat with an agent: a run, made as the caller after the review `create agentdeployments/invoke`. */
export interface AgentCall {
  readonly caller: Caller
  readonly observed: Observed
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly input: unknown
  readonly conversationId?: string
  readonly traceparent: string
  readonly timeoutMs: number
  /** Aborts when the client goes away; the run goes on. */
  readonly signal: AbortSignal
  /** Text as the agent writes it. */
  readonly onText: (text: string) => void
}

/** How the run stood when it ended, paused, or the time was over. */
export interface AgentOutcome {
  readonly runId: string
  readonly state: string
  readonly output: unknown
  readonly error: { readonly code: string; readonly message: string } | null
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

/** What the gateway asks of the plugin that owns runs. */
export interface AgentRuns {
  invokeForGateway(call: AgentCall): Promise<AgentOutcome>
  /** The agent of a run, so that a pod cannot name another agent's run. */
  agentOf(
    runId: string,
  ): Promise<
    { readonly namespace: string; readonly name: string; readonly uid: string; readonly traceId: string } | undefined
  >
}
