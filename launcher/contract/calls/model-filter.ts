import type { CallContext } from './model-call.ts'
import type { ModelRequest } from './model-request.ts'

/** Rules on one response. Each method throws `Refusal`, or `GatewayRefusal` for a format that rules cannot read. */
export interface ResponseFilter {
  /** Returns the part of these and earlier held-back frames that may be sent. */
  frames(whole: Buffer): Promise<Buffer>
  /** Returns the held-back rest of a stream that ended without a finish reason. */
  end(): Promise<Buffer>
  /** Filters a response that is one JSON document. */
  whole(bytes: Buffer): Promise<Buffer>
}

/** A call after the rules were applied. */
export interface FilteredCall {
  readonly request: ModelRequest
  /** Rules on the response; undefined: none. */
  readonly response?: ResponseFilter | undefined
  /** Proves to the gateway that the rules are applied here. */
  readonly proof?: string | undefined
  /** Converts a refusal by a rule of the gateway to the caller's error. */
  readonly refusal?: (error: unknown) => unknown
}

/** Rules on the model calls of the agent. */
export interface ModelFilter {
  /** Applies them to a request. Throws `Refusal`. */
  apply(request: ModelRequest, context: Pick<CallContext, 'approvals' | 'onFindings'>): Promise<FilteredCall>
}
