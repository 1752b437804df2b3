import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of A2A. On the wire they are errors of JSON-RPC (`rpc/error-codes.ts`); the status is that of the audit log and of metrics. */
export const a2aErrors = defineErrors({
  a2a_invalid_request: { status: 400, title: 'The body is no request of JSON-RPC 2.0.' },
  a2a_method_not_found: { status: 400, title: 'The method is unknown.' },
  a2a_invalid_params: { status: 400, title: 'The parameters do not match the method.' },
  a2a_task_not_found: { status: 400, title: 'The agent has no such task that the caller may see.' },
  a2a_task_not_cancelable: { status: 400, title: 'The task has ended.' },
  a2a_push_not_supported: { status: 400, title: 'Push notifications are not supported.' },
  a2a_unsupported_operation: { status: 400, title: 'The task does not take this operation in its state.' },
  a2a_content_type_not_supported: { status: 400, title: 'The agent takes and gives text and JSON data only.' },
  a2a_version_not_supported: { status: 400, title: 'The version of A2A is not supported.' },
})
