import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'

/** A request to start a run, from any source: the fields of `POST /api/runs` and its origin. */
export interface RunRequest {
  /** The agent. A run has either an agent or an executor. */
  readonly agent?: { readonly namespace: string; readonly name: string } | undefined
  /** A run without an agent. `object` is the name of the object whose permission is reviewed; default: all objects of the namespace. */
  readonly executor?: { readonly kind: string; readonly namespace: string; readonly object?: string } | undefined
  readonly input: unknown
  /** Default: a new conversation. */
  readonly conversationId?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Origin of the run, as in `trigger.kind`: lowercase letters, digits and `-`. */
  readonly trigger: string
  /** Default: a new trace. */
  readonly traceparent?: string | undefined
  /** Id of the new run; assigned by default. */
  readonly runId?: string | undefined
  readonly idempotency?: Idempotency | undefined
}

/** A request for a run of an agent, whose name was parsed. */
export interface AgentRunRequest extends RunRequest {
  readonly agent: { readonly namespace: DnsLabel; readonly name: DnsName }
}
