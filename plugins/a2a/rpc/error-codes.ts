import type { ProblemResponse } from '#core/http/problem/problem.ts'
import type { WireError } from '#core/http/problem/error-format.ts'
import { readRpcId } from './read-request.ts'

interface RpcError {
  readonly code: number
  /** Reason of google.rpc.ErrorInfo. */
  readonly reason: string
}

const invalidParams: RpcError = { code: -32602, reason: 'INVALID_PARAMS' }
const unsupported: RpcError = { code: -32004, reason: 'UNSUPPORTED_OPERATION' }

/** Errors of JSON-RPC 2.0 and of A2A 1.0 (section 5.4), by the code of the platform. Their HTTP status is 200, as clients expect. */
const codes: Readonly<Record<string, RpcError>> = {
  malformed_request: { code: -32700, reason: 'PARSE_ERROR' },
  a2a_invalid_request: { code: -32600, reason: 'INVALID_REQUEST' },
  a2a_method_not_found: { code: -32601, reason: 'METHOD_NOT_FOUND' },
  a2a_invalid_params: invalidParams,
  invalid_body: invalidParams,
  interrupt_ambiguous: invalidParams,
  a2a_task_not_found: { code: -32001, reason: 'TASK_NOT_FOUND' },
  a2a_task_not_cancelable: { code: -32002, reason: 'TASK_NOT_CANCELABLE' },
  a2a_push_not_supported: { code: -32003, reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' },
  a2a_unsupported_operation: unsupported,
  run_not_paused: unsupported,
  run_terminal: unsupported,
  a2a_content_type_not_supported: { code: -32005, reason: 'CONTENT_TYPE_NOT_SUPPORTED' },
  a2a_version_not_supported: { code: -32009, reason: 'VERSION_NOT_SUPPORTED' },
}

const domains: Readonly<Record<string, string>> = { true: 'a2a-protocol.org', false: 'mesh.dev' }

/**
 * Writes an error as JSON-RPC. Refusals of the platform keep their HTTP status, so that proxies and clients see a 403 and a 429. Their code is an
 * implementation-defined server error, and the problem document is in the details.
 */
export function writeRpcError({ status, headers, problem }: ProblemResponse, body: unknown): WireError {
  const known = codes[problem.code]
  const { code, reason } = known ?? {
    code: status >= 500 ? -32603 : -32000,
    reason: problem.code.toUpperCase(),
  }
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: domains[String(known !== undefined)],
    metadata: { code: problem.code },
  }
  const error = {
    code,
    // The detail of a refused request may quote a name of the client; only the problem document contains it (A8).
    message: known === undefined && problem.errors !== undefined ? problem.title : (problem.detail ?? problem.title),
    data: [info, known === undefined ? toDocument(problem) : toBadRequest(problem.errors)],
  }
  return {
    status: known === undefined ? status : 200,
    headers,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ jsonrpc: '2.0', id: readRpcId(body) ?? null, error }),
  }
}

// Fields of a request, as google.rpc.BadRequest.
function toBadRequest(errors: ProblemResponse['problem']['errors'] = []): object {
  const fieldViolations = errors.map(({ pointer, detail }) => ({ field: pointer, description: detail }))
  return { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }
}

// Without the request's path, which may contain input of a client (A8).
function toDocument(problem: ProblemResponse['problem']): object {
  const { instance: _, ...document } = problem
  return { '@type': problem.type, ...document }
}
