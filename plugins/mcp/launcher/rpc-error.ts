import { Refusal } from '#launcher/contract/http/refusal.ts'

/** Codes of JSON-RPC 2.0, of MCP 2026-07-28, and one of this server. */
export const rpcCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  /** The call waits for approval or consent. */
  approvalRequired: -32000,
} as const

/** An error of JSON-RPC, with the HTTP status of its response. */
export class RpcError extends Error {
  readonly code: number
  readonly status: 200 | 400 | 404
  readonly data: object | undefined
  constructor(code: number, message: string, more: { readonly status?: 400 | 404; readonly data?: object } = {}) {
    super(message)
    this.code = code
    this.status = more.status ?? 200
    this.data = more.data
  }
}

/** The error of JSON-RPC for a failure. Rethrows a refusal of a request that violates the rules of the port, which becomes an HTTP error. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  if (!(error instanceof Refusal)) throw error
  // An error instead of a result, so that the agent stops and its run can wait.
  if (error.code === 'tool_approval_required' || error.code === 'tool_auth_required')
    return new RpcError(rpcCodes.approvalRequired, error.message)
  if (error.code === 'unknown_tool') return new RpcError(rpcCodes.invalidParams, error.message)
  if (error.code === 'tools_unavailable' || error.code === 'plugin_disabled')
    return new RpcError(rpcCodes.internalError, error.message)
  throw error
}
