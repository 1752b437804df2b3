/** States of a run. */
export const runStates = [
  'queued',
  'running',
  'paused',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'rejected',
] as const
/** One of `runStates`. */
export type RunState = (typeof runStates)[number]

/** Number of children of a run beyond which they are not counted. */
export const MAX_COUNTED_CHILDREN = 200

/** Terminal states. */
export const terminalStates: ReadonlySet<RunState> = new Set([
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'rejected',
])

/** Reasons of a pause. */
export const pauseReasons = ['approval_required', 'input_required', 'auth_required', 'budget_hold'] as const
/** One of `pauseReasons`. */
export type PauseReason = (typeof pauseReasons)[number]

/** Reasons of a failure; the last two belong to `rejected`. */
export const failReasons = [
  'agent_error',
  'model_error',
  'tool_error',
  'guardrail_blocked',
  'budget_exceeded',
  'agent_unreachable',
  'permission_revoked',
  'lost_worker',
  'approval_denied',
  'approval_expired',
] as const
/** One of `failReasons`. */
export type FailReason = (typeof failReasons)[number]

/** Kinds of journal entries and live frames; only `run.progress`, `message.delta`, `tool.args.delta` and `stream.*` have no `seq`. */
export const entryKinds = [
  'run.queued',
  'run.waiting',
  'run.started',
  'run.progress',
  'run.paused',
  'run.resumed',
  'run.cancelling',
  'run.succeeded',
  'run.failed',
  'run.cancelled',
  'run.timed_out',
  'run.rejected',
  'step.started',
  'step.finished',
  'message.started',
  'message.delta',
  'message.finished',
  'message.snapshot',
  'tool.started',
  'tool.args.delta',
  'tool.finished',
  'interrupt.requested',
  'interrupt.resolved',
  'delegate.started',
  'delegate.finished',
  'guardrail.decided',
  'usage.reported',
  'stream.gap',
  'stream.end',
] as const
/** One of `entryKinds`. */
export type EntryKind = (typeof entryKinds)[number]

/** Token counts of one model call or a whole run. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
}

/**
 * Entry of `GET /runs/{id}/events?after=` (8080), one SSE frame each. `n` counts from 1 without gaps per attempt; deltas have no `n`, but
 * `{messageId, offset}` in `data`. The worker assigns the `seq` of the journal.
 */
export interface LauncherEntry {
  readonly n?: number
  readonly ts: string // RFC 3339
  readonly kind: EntryKind
  readonly path: readonly string[] // names of the agents from the root run down
  readonly spanId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Result that a launcher keeps until it is acknowledged; also the data of the last entry of its journal. */
export type InvokeResult =
  | { readonly state: 'succeeded'; readonly output: unknown; readonly usage: Usage }
  | { readonly state: 'failed'; readonly failReason: FailReason; readonly message: string; readonly usage: Usage }
  | {
      readonly state: 'paused'
      readonly pauseReason: PauseReason
      readonly interrupts: readonly Interrupt[]
      /** State to resume from; opaque to all components but the launcher. */
      readonly checkpoint: unknown
      readonly usage: Usage
    }
  | { readonly state: 'cancelled'; readonly usage: Usage }
  | { readonly state: 'timed_out'; readonly message?: string; readonly usage: Usage }

/** A request for a decision: approval of a tool call, or input. */
export interface Interrupt {
  readonly id: string
  readonly reason: PauseReason
  readonly tool?: string
  /** Id of the call that waits for approval, as in `tool.started` once it is made. */
  readonly toolCallId?: string
  readonly arguments?: unknown
  readonly question?: string
  /** JSON schema of the answer or of the call's arguments; required for approval with edited arguments. */
  readonly schema?: unknown
  /** What the tool does according to its server. */
  readonly hints?: ToolHints
  /** What asks for the approval. */
  readonly policy?: InterruptPolicy
  /** The server that needs the consent of the subject of the run. */
  readonly consent?: WantedConsent
}

/** An MCP server whose tools need the consent of the subject, and the page of the console that asks for it. */
export interface WantedConsent {
  readonly namespace: string
  readonly server: string
  readonly path: string
}

/** Hints of a tool: it changes nothing, or a change may destroy something. */
export interface ToolHints {
  readonly readOnly: boolean
  readonly destructive: boolean
}

/** An object whose rule asks for an approval. */
export interface InterruptPolicy {
  readonly kind: string
  /** `namespace/name` */
  readonly name: string
  readonly rule?: string
}

/** Prefix of the ids of guardrail interrupts, which launchers reserve: a rejection fails the run with `guardrail_blocked`. */
export const guardrailInterruptPrefix = 'grd_'

/** Prefix of the ids of tool call approvals, which launchers reserve: a rejection ends the run as `rejected`. */
export const toolInterruptPrefix = 'tap_'

/** Prefix of the ids of interrupts that wait for a consent, which launchers reserve: the grant of the subject resolves them. */
export const consentInterruptPrefix = 'aut_'

/** A decision about one interrupt. */
export interface Resolution {
  readonly interruptId: string
  readonly decision?: 'approve' | 'reject'
  readonly payload?: unknown
  /** Arguments of an approved call that replace those of the model. */
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly reason?: string
}

/** A decision as stored with the run. */
export interface Decision extends Omit<Resolution, 'decision' | 'payload'> {
  readonly decision: 'approve' | 'reject' | null
  readonly tool: string | null
  /** Username of the decider. */
  readonly by: string
  readonly at: string // RFC 3339
  readonly onReject?: 'answer'
}

/** Claims of the run grant: an EdDSA JWS signed by the role that reviewed access; stored with the run, valid for 7 days. */
export interface RunGrant {
  readonly typ: 'mesh-run-grant'
  readonly runId: string
  readonly agentUid: string
  readonly subject: string
  /** Groups of the subject at the review, used by later reviews of the state role. */
  readonly groups: readonly string[]
  readonly scopes: readonly string[]
  readonly iat: number
  readonly exp: number // seconds since the epoch
}

/** Claims of the attempt token: an EdDSA JWS signed by the worker that holds the lease, valid for 5 minutes. */
export interface AttemptToken {
  readonly typ: 'mesh-run-attempt'
  readonly runId: string
  readonly agentUid: string
  readonly epoch: number
  readonly iat: number
  readonly exp: number
}

/**
 * Body of `POST /invoke` of a launcher. Headers: `X-Mesh-Run-Grant`, `X-Mesh-Run-Attempt`, `X-Mesh-Run-Id` (the idempotency key), `traceparent`.
 * Without the first three the response is 401 unless the launcher runs unsigned (`meshctl dev`).
 *
 * Response: 202 `{runId, agentRevision?, state: 'running'}` immediately, and the worker reads `GET /runs/{id}/events?after=<n>` (SSE of
 * `LauncherEntry`, id = n, ends with `stream.end`); 200 `{runId, agentRevision?, ...InvokeResult}` when the outcome is already known; `agentRevision`
 * is the revision of the agent, if known to the launcher (MESH_AGENT_REVISION). The last entry is `run.<state of the result>` with the InvokeResult
 * as data; the launcher writes no other `run.*` entry. Further: 409 `stale_epoch` or `run_acknowledged`, 429 `too_many_runs`, 503 `draining`,
 * `agent_not_ready` or `keys_unavailable`, the last four with Retry-After, 429 also with `X-Mesh-Run-Timeout-Ms`: the time limit of this agent's
 * runs, which includes waiting. `GET /runs/{id}/ticket` returns `{ticket}`, or 503 `other_revision` where `X-Mesh-Agent-Revision` names another one; an invoke with it in `X-Mesh-Ticket` starts the run only in the launcher
 * process that issued it and for five minutes, otherwise 412 `stale_ticket`: the launcher keeps the run longer than that, so that invokes with one
 * ticket start it at most once. `GET /runs/{id}` responds as `/invoke` does; `POST /runs/{id}/ack` (204) discards the kept run; `POST
 * /runs/{id}/cancel` responds with 200 `{runId, ...InvokeResult}` once the agent's work has stopped. All of these require `X-Mesh-Run-Attempt`; the
 * response is 404 `unknown_run` for a run that is not kept. A resume is the same run id with `context.resume`, answering an interrupt that is open: a
 * new attempt, its `n` from 1 again. A repeated resume is handled like a repeated invoke. Without X-Mesh-Run-Id an unsigned launcher waits and
 * returns the outcome itself.
 */
export interface InvokeRequest {
  readonly input: unknown
  readonly conversationId?: string
  readonly context?: {
    readonly history?: readonly { readonly input: unknown; readonly output: unknown }[]
    /** For a resumed run: the decisions, and the checkpoint of the paused attempt. */
    readonly resume?: { readonly resolutions: readonly Resolution[]; readonly checkpoint: unknown }
    /** For a run that another run started. */
    readonly lineage?: RunLineage
  }
}

/** Origin of a child run. */
export interface RunLineage {
  readonly rootRunId: string
  /** Agents (`namespace/name`) of the runs above this one, from the root run down. */
  readonly path: readonly string[]
  /** RFC 3339 time by which the run must have ended. */
  readonly deadline?: string
}
