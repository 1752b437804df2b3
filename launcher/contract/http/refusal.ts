/** Errors of the launcher's listeners: status and message by code; the body is `{"error": code, "message"}`. */
export const refusals = {
  malformed_request: { status: 400, message: 'The request is malformed.' },
  unauthenticated: { status: 401, message: 'A valid run grant and attempt token are required.' },
  budget_exceeded: { status: 402, message: 'The budget is used up.' },
  origin_refused: { status: 403, message: 'Requests from web pages are not served.' },
  not_found: { status: 404, message: 'Not found.' },
  unknown_run: { status: 404, message: 'The run is unknown to this launcher.' },
  not_bound: { status: 404, message: 'The spec of the agent does not have this part.' },
  unknown_tool: { status: 404, message: 'The agent has no tool with that name.' },
  unknown_knowledge_base: { status: 404, message: 'The agent has no knowledge base with that name.' },
  method_not_allowed: { status: 405, message: 'The method is not allowed for this path.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  stale_epoch: { status: 409, message: 'A newer worker holds the run.' },
  run_acknowledged: { status: 409, message: 'The run has ended and its result was acknowledged.' },
  idempotency_conflict: { status: 409, message: 'The key was used with another request.' },
  cycle_detected: { status: 409, message: 'The called agent is already part of the chain of calls.' },
  depth_exceeded: { status: 409, message: 'The maximum delegation depth was exceeded.' },
  tool_changed: { status: 409, message: 'The tools of the MCP server differ from the accepted ones.' },
  stale_ticket: { status: 412, message: 'The ticket has expired or was issued by another launcher process.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  conversation_full: { status: 413, message: 'The conversation has reached its maximum size.' },
  unsupported_media_type: { status: 415, message: 'The content type must be application/json.' },
  misdirected_request: { status: 421, message: 'The Host header is not a name of this listener.' },
  price_unknown: { status: 422, message: 'The model has no price.' },
  too_many_scores: { status: 429, message: 'The run or its namespace has reached its maximum number of scores.' },
  too_many_runs: { status: 429, message: 'The agent is at its limit of concurrent runs.' },
  too_many_calls: { status: 429, message: 'Too many model calls are in progress.' },
  too_many_exports: { status: 429, message: 'Too many exports are in progress.' },
  too_many_memory_calls: { status: 429, message: 'Too many calls to memory are in progress.' },
  memory_quota_exceeded: { status: 429, message: 'The memory quota of the agent or of its namespace is used up.' },
  too_many_tool_calls: { status: 429, message: 'Too many tool calls are in progress.' },
  rate_limited: { status: 429, message: 'The limit of requests per minute is reached.' },
  concurrency_limited: { status: 429, message: 'The limit of concurrent requests is reached.' },
  header_fields_too_large: { status: 431, message: 'Too many header fields.' },
  internal_error: { status: 500, message: 'An unexpected error occurred.' },
  gateway_unavailable: { status: 502, message: 'The model gateway cannot be reached.' },
  feedback_unavailable: { status: 502, message: 'The feedback could not be stored.' },
  blocked: { status: 502, message: 'A policy of the called agent refused the call.' },
  upstream_failure: { status: 502, message: 'The called agent did not respond.' },
  tools_unavailable: { status: 502, message: 'The tools of the agent cannot be reached.' },
  tool_unavailable: { status: 502, message: 'The MCP server of the tool cannot be used.' },
  tool_result_refused: { status: 502, message: 'The result of the tool is too large or invalid.' },
  memory_unavailable: { status: 502, message: 'The memory cannot be reached.' },
  delegation_failed: { status: 502, message: 'The run could not be created.' },
  guardrail_blocked: { status: 403, message: 'A guardrail policy blocked the call.' },
  guardrail_approval_required: { status: 403, message: 'A guardrail policy requires approval of the call.' },
  tool_approval_required: { status: 403, message: 'The tool call requires approval.' },
  tool_auth_required: { status: 403, message: 'The tool call requires the consent of the user of the run.' },
  tool_call_rejected: { status: 403, message: 'The tool call was rejected.' },
  caller_not_allowed: { status: 403, message: 'The agent may not call this agent.' },
  delegate_not_allowed: { status: 403, message: 'The agent may not call this agent.' },
  delegation_refused: { status: 403, message: 'The run was refused.' },
  unknown_target: { status: 404, message: 'The agent does not exist.' },
  tool_timeout: { status: 504, message: 'The tool did not respond in time.' },
  gateway_timeout: { status: 504, message: 'The model gateway did not respond in time.' },
  agent_not_ready: { status: 503, message: 'The agent is not ready.' },
  other_revision: { status: 503, message: 'The pod runs another revision of the agent.' },
  guardrail_unavailable: { status: 503, message: 'The guardrail policies cannot be read.' },
  plugin_disabled: { status: 503, message: 'The agent uses a field whose plugin is not available.' },
  budget_unavailable: { status: 503, message: 'The budget cannot be checked.' },
  draining: { status: 503, message: 'The launcher is shutting down.' },
  keys_unavailable: { status: 503, message: 'The key set could not be fetched.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

/** A code of the table. */
export type RefusalCode = keyof typeof refusals

/** Whether a string is a code of the table. */
export function isRefusalCode(code: unknown): code is RefusalCode {
  return typeof code === 'string' && Object.hasOwn(refusals, code)
}

/** Refuses a request; the listener maps it to a status. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly headers: Readonly<Record<string, string>>
  constructor(code: RefusalCode, message?: string, headers: Readonly<Record<string, string>> = {}) {
    super(message ?? refusals[code].message)
    this.code = code
    this.headers = headers
  }
}
