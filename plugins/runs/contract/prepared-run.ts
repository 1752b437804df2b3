import type { RunState } from '#schemas/runs/run.ts'
import type { RunRequest } from './run-request.ts'

/** A permission that a run needs: `create agentdeployments/invoke`, or that of its executor. */
export interface Permission {
  readonly verb: string
  readonly resource: string
  /** Default: the group of the platform. */
  readonly group?: string | undefined
}

/** A ServiceAccount by name. */
export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/** A run to prepare. Its id is assigned. */
export interface PrepareRequest extends Omit<RunRequest, 'runId'> {
  /**
   * The only revision of the agent that may run it, such as the candidate of a gate. A revision that neither serves nor is a
   * candidate is refused (`revision_not_running`), or fails the run if that is known only when it is due. Default: any.
   */
  readonly revision?: number | undefined
  /** Time by which the run must end (RFC 3339, UTC). Default: none, or that of the run that prepares a child. */
  readonly deadline?: string | undefined
  /** Default: a day. At most seven days. */
  readonly expiresInSeconds?: number
}

/**
 * A run that was authorized and signed, to be queued later by `queueIn`. JSON, to be stored as it is; `content` has the input of the run.
 * It is valid once, until it expires, for this agent and subject.
 */
export interface PreparedRun {
  readonly runId: string
  readonly content: string
  readonly token: string
}

/** How a prepared run is queued. */
export interface QueueOptions {
  /** Makes the run a child: it is cancelled with its parent and shares its trace. Parent and child must have the same subject. */
  readonly parentRunId?: string | undefined
}

/** A run in the queue. */
export interface QueuedRun {
  readonly runId: string
  readonly state: RunState
}
