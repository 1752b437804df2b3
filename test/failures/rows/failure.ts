import type { PortContract } from '#launcher/contract/http/port.ts'

/** What a port needs to serve a request. PostgreSQL, Redis and the object store are behind the state role, `peer` is the launcher of a called agent. */
export type Dependency =
  | 'agent'
  | 'collector'
  | 'MCP server'
  | 'model gateway'
  | 'object store'
  | 'peer'
  | 'PostgreSQL'
  | 'Redis'
  | 'state role'
  | 'state role of the peer'

/** How a dependency fails: it is killed or refuses connections, stays connected without an answer, or each chunk takes 100 ms longer. */
export type Fault = 'killed' | 'frozen' | 'slow'

/** Response that an agent or a worker gets. */
export interface Outcome {
  readonly status: number
  /** Code of the error, or reason of a probe. */
  readonly code?: string
  /** Seconds until the answer at most, where a time limit of the launcher ends the wait. */
  readonly within?: number
  /** The deadline of the run, or of the agent without a run, ends the wait. */
  readonly atDeadline?: true
  /** State in which the started run ends. */
  readonly run?: string
  /** Whether the recording of the run has the call. A lost one is in the log of the launcher, in metrics, and a gap of the recording. */
  readonly recording?: 'complete' | 'incomplete'
  /** Requests that arrive before the failure is noticed are answered as without it. */
  readonly onceNoticed?: true
}

/** A request to the port. */
export interface FailureRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Names of objects that requests may use. */
export interface FailureStage {
  /** A run of the agent that has ended. */
  readonly runId: string
  /** An agent that this one may call. */
  readonly peer: string
  /** Route of a priced model. */
  readonly model: string
  /** Headers with grant and attempt of a new run of the agent. */
  newRun(): Promise<Readonly<Record<string, string>>>
  /** Starts a run of the agent, which is recorded. Returns the header that assigns requests to it. */
  recordedRun(): Promise<Readonly<Record<'x-mesh-run-id', string>>>
}

/** A row of docs/operations/launcher-failures.md: what an operation answers while a dependency fails. A test produces each cell. */
export interface FailureRow {
  readonly dependency: Dependency
  readonly request: FailureRequest | ((stage: FailureStage) => FailureRequest | Promise<FailureRequest>)
  /** Status before the fault, and after it has ended. */
  readonly healthy: number
  readonly killed: Outcome
  readonly frozen: Outcome
  readonly slow: Outcome
  /** The launcher has not served a request before the fault. */
  readonly fresh?: true
  /** The launcher is started during the fault. */
  readonly starts?: true
  /** The agent is in its own container, which the kubelet restarts. */
  readonly container?: true
  /** What follows for the agent or for money, as a sentence. */
  readonly note?: string
}

/** Rows of a port. */
export interface PortFailures {
  readonly port: PortContract
  readonly rows: readonly (FailureRow & { readonly operation: string })[]
}

/** Declares how the operations of a port answer while a dependency fails; `failure-rows.ts` lists them. */
export function defineFailures(
  port: PortContract,
  rows: Readonly<Record<string, readonly FailureRow[]>>,
): PortFailures {
  return {
    port,
    rows: Object.entries(rows).flatMap(([operation, of]) => of.map((row) => ({ ...row, operation }))),
  }
}
