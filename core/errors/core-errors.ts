import { defineErrors } from './define-errors.ts'

/** Errors that core and every plugin use. Errors of one plugin are in its `errors.ts`. */
export const coreErrors = defineErrors({
  malformed_request: { status: 400, title: 'The request is malformed.' },
  invalid_name: { status: 400, title: 'A name in the request is not a valid Kubernetes name.' },
  invalid_query: { status: 400, title: 'A query parameter is unknown, repeated or malformed.' },
  invalid_body: { status: 400, title: 'The body does not match the schema.' },
  invalid_cursor: { status: 400, title: 'The cursor was changed or belongs to another query.' },
  unauthenticated: { status: 401, title: 'A valid bearer token is required.' },
  forbidden: { status: 403, title: 'The cluster denied the request.' },
  not_found: { status: 404, title: 'Not found.' },
  namespace_not_served: { status: 404, title: 'This installation does not serve the namespace.' },
  method_not_allowed: { status: 405, title: 'The path does not support this method.' },
  not_acceptable: { status: 406, title: 'None of the accepted media types can be produced.' },
  request_timeout: { status: 408, title: 'The request did not arrive in time.', retryable: true },
  conflict: { status: 409, title: 'The object has changed since it was read.' },
  already_exists: { status: 409, title: 'An object with that name already exists.' },
  idempotency_conflict: { status: 409, title: 'The idempotency key was used with another request.' },
  cursor_expired: { status: 410, title: 'The cursor has expired; start over.' },
  precondition_failed: { status: 412, title: 'If-Match does not match the current version.' },
  payload_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported.' },
  misdirected_request: { status: 421, title: 'This host is not served.' },
  unprocessable: { status: 422, title: 'The cluster refused the object.' },
  too_many_requests: { status: 429, title: 'Too many requests.', retryable: true },
  header_fields_too_large: { status: 431, title: 'Too many or too large header fields.' },
  client_closed_request: { status: 499, title: 'The client closed the connection before its request was complete.' },
  internal_error: { status: 500, title: 'An unexpected error occurred.' },
  not_wired: { status: 501, title: 'This feature is not configured.' },
  bad_gateway: { status: 502, title: 'The response of an upstream is invalid.', retryable: true },
  store_unavailable: { status: 503, title: 'The store is not reachable.', retryable: true },
  plugin_disabled: { status: 503, title: 'The agent uses a field whose plugin is not available.' },
  bus_unavailable: { status: 503, title: 'The event bus is not reachable.', retryable: true },
  state_store_unavailable: { status: 503, title: 'The state store is not reachable.', retryable: true },
  cluster_unavailable: { status: 503, title: 'The cluster API server is not reachable.', retryable: true },
  review_unavailable: { status: 503, title: 'The access review failed.', retryable: true },
  overloaded: { status: 503, title: 'Too many concurrent requests.', retryable: true },
  draining: { status: 503, title: 'The server is shutting down.', retryable: true },
  cluster_timeout: { status: 504, title: 'The cluster API server did not respond in time.', retryable: true },
})

/** Code of an error of core. */
export type ErrorCode = keyof typeof coreErrors
