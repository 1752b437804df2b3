import type { DnsLabel } from '#core/kube/names.ts'
import type { FailReason, PauseReason, Resolution, RunState } from '#schemas/runs/run.ts'
import type { Caller, Access } from '#core/cluster/caller.ts'
import type { AgentRunRequest } from './run-request.ts'
import type { RunTree } from './run-tree.ts'
import type { RunDetail, RunCosts, Run } from './run.ts'
import type { SelectedRun } from './tables.ts'
import type { SendFrame } from './live-frame.ts'

/** The answer of a caller. The allowed fields depend on the reason of the interrupt. */
export interface ResumeAnswer extends Partial<Resolution> {
  /** Whether a rejection ends the run or is passed to the agent as the answer. */
  readonly onReject?: 'end' | 'answer'
}

/** Filters of a list of runs; `since` is the lower bound of `createdAt`. */
export interface RunFilter {
  readonly agent?: string | undefined
  readonly agentUid?: string | undefined
  readonly conversationId?: string | undefined
  readonly state?: RunState | undefined
  /** Only runs in one of these states. */
  readonly states?: readonly RunState[] | undefined
  /** Only runs paused for one of these reasons. */
  readonly pauseReasons?: readonly PauseReason[] | undefined
  /** Lower bound of the time of the last state change. */
  readonly changedSince?: Date | undefined
  readonly label?: readonly [string, string] | undefined
  readonly since?: Date | undefined
  /** Upper bound of `createdAt`, which is excluded. */
  readonly until?: Date | undefined
  readonly failReasons?: readonly FailReason[] | undefined
  readonly subject?: string | undefined
  /** Kind of the trigger. */
  readonly trigger?: string | undefined
  /** Model of the first metered call. */
  readonly model?: string | undefined
  /** Id of the run that started the runs. */
  readonly parent?: string | undefined
  /** Only ended runs that took at least this long, from their start. */
  readonly minDurationMs?: number | undefined
  readonly hasFeedback?: boolean | undefined
  /** Prefix of the id, the subject or the value of a label. */
  readonly prefix?: string | undefined
  readonly ids?: readonly string[] | undefined
}

/** Order of a list by `createdAt`, or ended runs by their duration. */
export type RunOrder = 'newest' | 'oldest' | 'longest'

/** Sort key of a list: by `createdAt` or by duration, then by id. */
export interface RunKey {
  readonly createdAt: Date
  readonly durationMs?: number
  readonly id: string
}

/** A page: its size, its order (newest first by default) and the key of the preceding row. */
export interface RunPage {
  readonly limit: number
  readonly order?: RunOrder | undefined
  readonly after?: RunKey | undefined
}

/** Runs for callers, within their rights. */
export interface CallerRuns {
  /**
   * Creates a run. `access` proves that the caller may invoke the agent of `request`. A repeat with the same idempotency key returns the
   * run of the first request.
   */
  create(caller: Caller, access: Access, request: AgentRunRequest): Promise<RunDetail>
  /** Reads a run. The namespace is looked up unless it is given. */
  get(caller: Caller, id: string, namespace?: DnsLabel): Promise<RunDetail>
  /** As `get`, with the reason why the agent is not ready, if the caller may read it. */
  explain(caller: Caller, id: string): Promise<RunDetail>
  /** A part of the tree, after a sequence number and within the bounds of one response. */
  tree(caller: Caller, id: string, after: number): Promise<RunTree & RunCosts>
  list(access: Access, filter: RunFilter, page: RunPage): Promise<readonly Run[]>
  /** Number of runs that `list` has in all its pages, at most 10,000. */
  count(access: Access, filter: RunFilter): Promise<number>
  /** Proves that the caller may change the run. A run that the caller may not get is reported as unknown. */
  mayUpdate(caller: Caller, id: string): Promise<Access<'update', 'runs'>>
  resume(by: Changer, id: string, answer: ResumeAnswer): Promise<RunDetail>
  cancel(by: Changer, id: string): Promise<RunDetail>
  /** Reads the row of a run that the caller may `get`. Other runs are reported as unknown. */
  open(caller: Caller, id: string): Promise<OpenRun>
}

/** The caller that changes a run, with the proof of `mayUpdate`. */
export interface Changer {
  readonly caller: Caller
  readonly access: Access
}

/** A run and the proof under which it was read. */
export interface OpenRun {
  readonly run: SelectedRun
  readonly access: Access<'get', 'runs'>
}

/** Runs of callers, for plugins that serve them by another protocol. Each operation checks the caller's rights as its route does. */
export interface RunsOfCallers extends Pick<
  CallerRuns,
  'create' | 'get' | 'open' | 'list' | 'count' | 'mayUpdate' | 'resume' | 'cancel'
> {
  /** Waits until a run has ended or is paused; undefined after `timeoutMs`, or when the client disconnects. */
  wait(
    caller: Caller,
    id: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RunDetail | undefined>
  /** Sequence number of the newest journal entry. 0 for an unknown run or an invalid id. */
  lastSeq(id: string): Promise<number>
  /** Sends the frames of a run that `open` returned, after a journal entry, until it ends or `signal` aborts. */
  stream(
    run: SelectedRun,
    after: number,
    options: { readonly send: SendFrame; readonly signal: AbortSignal },
  ): Promise<void>
}
