import type { Caller } from '#core/cluster/caller.ts'

/** A chat with an agent: a run, created as the caller after the review `create agentdeployments/invoke`. */
export interface AgentCall {
  readonly caller: Caller
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly input: unknown
  readonly conversationId?: string
  readonly traceparent: string
  readonly timeoutMs: number
  /** Aborted when the client disconnects. The run continues. */
  readonly signal: AbortSignal
  /** Receives text as the agent writes it. */
  readonly onText: (text: string) => void
}

/** The run when it ended, paused, or the timeout expired. */
export interface AgentOutcome {
  readonly runId: string
  readonly state: string
  readonly output: unknown
  readonly error: { readonly code: string; readonly message: string } | null
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

/** The agent of a run. */
export interface OwnerOfRun {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly traceId: string
  /** The first run of its tree; the run itself if nothing delegated it. */
  readonly rootRunId?: string
}

/** Services for the gateway, of the plugin that owns runs. */
export interface AgentRuns {
  invokeForGateway(call: AgentCall): Promise<AgentOutcome>
  /** Returns the agent of a run, so that a pod cannot claim another agent's run. */
  agentOf(runId: string): Promise<OwnerOfRun | undefined>
  /**
   * Other agents of the runs above a run of the agent, from the run's parent up to the root; undefined unless the run belongs to the agent. Without a
   * run: the agents above all runs that the agent executes now.
   */
  agentsAbove(
    agentUid: string,
    runId: string | undefined,
  ): Promise<readonly Pick<OwnerOfRun, 'namespace' | 'name' | 'uid'>[] | undefined>
}
