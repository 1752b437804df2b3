import type { ServerResponse } from 'node:http'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { CallerApi } from './caller-api.ts'
import type { Principal } from './principal.ts'

/** One request of the gateway, without its body. */
export interface GatewayCall {
  readonly gateway: GatewayContext
  /** The form of answers and errors. */
  readonly api: CallerApi
  readonly principal: Principal
  /** Namespace of a bare model name: of `X-Mesh-Namespace`, the pod's own, else `default`. */
  readonly namespace: DnsLabel
  /** `X-Mesh-Namespace`. */
  readonly narrowedTo: DnsLabel | undefined
  /** The run named by a pod, if it belongs to its agent. */
  readonly runId: string | undefined
  readonly agentUid: string | undefined
  readonly conversationId: string | undefined
  /** Header of the request, by its name in lower case. One that is given twice refuses the call. */
  readonly header: (name: string) => string | undefined
  readonly traceparent: string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly startedAt: number // monotonic, milliseconds
  readonly response: ServerResponse
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>
  /** Takes over the response from the framework, which does not write to it afterwards. */
  readonly take: () => void
}
