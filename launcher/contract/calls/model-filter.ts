import type { CallContext } from './model-call.ts'
import type { ModelRequest } from './model-request.ts'

/** Rules on one response. Each method throws `Refusal`, or `GatewayRefusal` for a form that rules cannot read. */
export interface ResponseFilter {
  /** What may be sent of these frames and of what was held back. */
  frames(whole: Buffer): Promise<Buffer>
  /** The rest of a stream that has no finish. */
  end(): Promise<Buffer>
  /** A response that is one JSON document. */
  whole(bytes: Buffer): Promise<Buffer>
}

/** A call as the rules leave it. */
export interface FilteredCall {
  readonly request: ModelRequest
  /** Rules that see the response; undefined: none. */
  readonly response?: ResponseFilter | undefined
  /** Proves to the gateway that the rules are applied here. */
  readonly proof?: string | undefined
  /** What a refusal of the gateway by a rule is for the caller. */
  readonly refusal?: (error: unknown) => unknown
}

/** Rules on the model calls of the agent. */
export interface ModelFilter {
  /** Applies them to a request. Throws `Refusal`. */
  apply(request: ModelRequest, context: Pick<CallContext, 'approvals' | 'onFindings'>): Promise<FilteredCall>
}
