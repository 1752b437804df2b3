import type { ServerResponse } from 'node:http'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { Principal } from './principal.ts'

/** One request at the gateway's door, with everything about it that is no body. */
export interface GatewayCall {
  readonly gateway: GatewayContext
  readonly principal: Principal
  /** Namespace of a bare model name: of `X-Mesh-Namespace`, the pod's own, else `default`. */
  readonly namespace: DnsLabel
  /** `X-Mesh-Namespace`. */
  readonly narrowedTo: DnsLabel | undefined
  /** The run that a pod named and that is its agent's. */
  readonly runId: string | undefined
  readonly agentUid: string | undefined
  readonly conversationId: string | undefined
  readonly traceparent: string
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
  readonly startedAt: number // monotonic, milliseconds
  readonly response: ServerResponse
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>
  /** Takes the response from the framework; nothing else writes to it afterwards. */
  readonly take: () => void
}
