import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of tool calls, which the agent reads, of connecting and approving servers, and of grants. */
export const mcpErrors = defineErrors({
  unknown_tool: { status: 404, title: 'The agent has no such tool.' },
  tool_changed: { status: 409, title: 'The tools of the MCP server differ from the accepted ones.' },
  too_many_tool_calls: { status: 429, title: 'Too many tool calls are in progress.', retryable: true },
  // Never retryable: the server may have executed the call.
  tool_unavailable: { status: 502, title: 'The MCP server cannot be used.' },
  tool_result_refused: { status: 502, title: 'The result of the tool is too large or invalid.' },
  mcp_resolve_failed: { status: 422, title: 'The address of the MCP server is refused or unknown.' },
  mcp_connect_failed: { status: 422, title: 'No connection to the MCP server.' },
  mcp_initialize_failed: { status: 422, title: 'The MCP server did not initialize a session.' },
  mcp_list_tools_failed: { status: 422, title: 'The MCP server did not list usable tools.' },
  unknown_connector: { status: 404, title: 'No such connector is visible to the namespace.' },
  credential_not_ours: { status: 409, title: 'A Secret of that name exists and was not made by the platform.' },
  manifest_changed: { status: 409, title: 'Another manifest waits for a decision, or none does.' },
  author_may_not_approve: { status: 403, title: 'The author of a server may not approve its manifest.' },
  author_unknown: { status: 409, title: 'The author of the server is not known exactly.' },
  approval_not_required: { status: 409, title: 'This installation requires no approvals of manifests.' },
  tool_auth_required: { status: 403, title: 'The user of the run has not consented to the MCP server.' },
  tool_timeout: { status: 504, title: 'The tool did not respond in time.' },
  grant_not_supported: { status: 409, title: 'The MCP server takes no grants of persons.' },
  grant_client_missing: { status: 409, title: 'The authorization server registers no client, and none is configured.' },
  // One error for a state that is unknown, used, expired or of another caller, so that it says nothing about others.
  consent_invalid: { status: 409, title: 'The consent has expired, has ended, or belongs to another session.' },
  consent_denied: { status: 422, title: 'The authorization server reports that access was not granted.' },
  grant_quota_exceeded: { status: 429, title: 'The caller has reached the maximum number of grants or open consents.' },
  authorization_server_unusable: { status: 502, title: 'The authorization server of the MCP server cannot be used.' },
})
