import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of A2A. On the wire they are JSON-RPC errors (`rpc/error-codes.ts`); the status here is used in the audit log and in metrics. */
export const a2aErrors = defineErrors({
  a2a_invalid_request: { status: 400, title: 'The body is not a JSON-RPC 2.0 request.' },
  a2a_method_not_found: { status: 400, title: 'The method is unknown.' },
  a2a_invalid_params: { status: 400, title: 'The parameters do not match the method.' },
  a2a_task_not_found: { status: 400, title: 'The agent has no such task, or the caller may not see it.' },
  a2a_task_not_cancelable: { status: 400, title: 'The task has ended.' },
  a2a_push_not_supported: { status: 400, title: 'Push notifications are not supported.' },
  a2a_unsupported_operation: { status: 400, title: 'The task does not accept this operation in its current state.' },
  a2a_content_type_not_supported: { status: 400, title: 'The agent accepts and returns only text and JSON data.' },
  a2a_version_not_supported: { status: 400, title: 'The version of A2A is not supported.' },
})
