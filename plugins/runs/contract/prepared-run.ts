import type { Static } from 'typebox'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { CreateRunBody } from '#schemas/api/run-requests.ts'
import type { RunState } from '#schemas/runs/run.ts'

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

/** A run to prepare: that of `POST /api/runs` or one of an executor, with its origin and a bound on its use. */
export interface PrepareRequest extends Omit<Static<typeof CreateRunBody>, 'agent'> {
  readonly agent?: { readonly namespace: string; readonly name: string }
  /** A run without an agent. `object` is the name of the object whose permission is reviewed; default: all of the namespace. */
  readonly executor?: { readonly kind: string; readonly namespace: string; readonly object?: string }
  /** Origin of the run, as in `trigger.kind`: lower case letters, digits and `-`. */
  readonly trigger: string
  /** Default: a day. At most seven days. */
  readonly expiresInSeconds?: number
  readonly traceparent?: string | undefined
  readonly idempotency?: Idempotency | undefined
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
  /** Makes it a child: it is cancelled with its parent and has its trace. Parent and child must have one subject. */
  readonly parentRunId?: string | undefined
}

/** A run in the queue. */
export interface QueuedRun {
  readonly runId: string
  readonly state: RunState
}
