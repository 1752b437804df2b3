import { OutboundError, describeReason, outboundReason } from '#core/http-client/outbound-error.ts'
import type { OutboundReason } from '#core/http-client/outbound-error.ts'

/** Why a server could not be used: a closed list, safe for messages, conditions and metric labels. */
export type McpFailureReason = OutboundReason | 'unauthorized' | 'not_mcp' | 'too_many_requests' | 'invalid_manifest'

/** Thrown by sessions. The message names host and rule, never text of the server, since agents and users read it. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure'
  readonly reason: McpFailureReason
  /** `WWW-Authenticate` of a 401 or a 403: where an authorization server is found, and which scopes are missing. It is a text of the server: never shown. */
  readonly challenge: string | undefined
  /** Status of a refused credential. */
  readonly status: 401 | 403 | undefined
  constructor(reason: McpFailureReason, message: string, challenge?: string, status?: 401 | 403) {
    super(message)
    this.reason = reason
    this.challenge = challenge
    this.status = status
  }
}

/** The failure of a call to a host: of the connection or the guard, or `not_mcp` for every error of the protocol. */
export function toMcpFailure(error: unknown, host: string): McpFailure {
  if (error instanceof McpFailure) return error
  if (error instanceof OutboundError) return new McpFailure(error.reason, error.message)
  const reason = outboundReason(error)
  if (reason === 'failed') return new McpFailure('not_mcp', `${host} does not respond like an MCP server.`)
  return new McpFailure(reason, `${host}: ${describeReason(reason)}`)
}
