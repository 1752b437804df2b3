import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import type { Note } from '#core/telemetry/trace-context.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { CallPayer } from '../../contract/call-payment.ts'
import type { CallerApi } from './caller-api.ts'
import type { Principal } from './principal.ts'

/** One request of the gateway, without its body. */
export interface GatewayCall {
  readonly gateway: GatewayContext
  /** The format of responses and errors. */
  readonly api: CallerApi
  readonly principal: Principal
  /** Namespace of a bare model name: `X-Mesh-Namespace`, else the pod's own, else `default`. */
  readonly namespace: DnsLabel
  /** Value of `X-Mesh-Namespace`. */
  readonly narrowedTo: DnsLabel | undefined
  /** Payer of a call of a role; undefined for all other calls. */
  readonly payer: CallPayer | undefined
  /** The run in the request of a pod or a role, if it belongs to the agent. */
  readonly runId: string | undefined
  /** The root of that run. */
  readonly rootRunId: string | undefined
  /** The agent whose pod calls, or that pays for a call of a role. */
  readonly agentUid: string | undefined
  readonly conversationId: string | undefined
  /** Header of the request, by its name in lowercase. Throws a refusal if the header was sent twice. */
  readonly header: (name: string) => string | undefined
  /** The headers of the request, with values that were sent twice joined. */
  readonly given: IncomingHttpHeaders
  /** The JSON document of the request, unless its API is translated. */
  readonly document: () => string | undefined
  readonly traceparent: string
  /** Adds attributes to the span of the request. */
  readonly note: Note
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly startedAt: number // monotonic, milliseconds
  /** When the client stops waiting, on the same clock; undefined: it does not say. */
  readonly deadlineAt: number | undefined
  readonly response: ServerResponse
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>
  /** Takes over the response from the framework, which does not write to it afterwards. */
  readonly take: () => void
}
