import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of tool calls. The agent reads them, and decides. */
export const mcpErrors = defineErrors({
  unknown_tool: { status: 404, title: 'The agent has no such tool.' },
  tool_changed: { status: 409, title: 'The tools of the MCP server differ from the accepted ones.' },
  too_many_tool_calls: { status: 429, title: 'Too many tool calls are in progress.', retryable: true },
  // Never retryable: the server may have executed the call.
  tool_unavailable: { status: 502, title: 'The MCP server cannot be used.' },
  tool_result_refused: { status: 502, title: 'The result of the tool is too large or invalid.' },
  tool_timeout: { status: 504, title: 'The tool did not respond in time.' },
})
