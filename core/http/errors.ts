/** Every error the API can answer: code, status, default message. `docs/reference/errors.md` is generated from it; a test keeps both equal. */
export const errorTable = {
  malformed_request: { status: 400, title: 'The request is malformed.' },
  invalid_name: { status: 400, title: 'A name in the request is not a valid Kubernetes name.' },
  invalid_query: { status: 400, title: 'A query parameter is unknown, repeated or malformed.' },
  invalid_body: { status: 400, title: 'The body does not match the schema.' },
  invalid_cursor: { status: 400, title: 'The cursor was changed or belongs to another query.' },
  invalid_agent_file: { status: 400, title: 'The agent file is not valid.' },
  unauthenticated: { status: 401, title: 'A valid bearer token is required.' },
  forbidden: { status: 403, title: 'The cluster denied the request.' },
  delegate_not_allowed: { status: 403, title: 'The agent may not call that agent.' },
  not_found: { status: 404, title: 'Not found.' },
  namespace_not_served: { status: 404, title: 'This installation does not serve the namespace.' },
  method_not_allowed: { status: 405, title: 'The path exists, the method does not.' },
  not_acceptable: { status: 406, title: 'None of the accepted media types can be produced.' },
  request_timeout: { status: 408, title: 'The request did not arrive in time.' },
  conflict: { status: 409, title: 'The object was changed by someone else.' },
  already_exists: { status: 409, title: 'An object of that name exists.' },
  idempotency_conflict: { status: 409, title: 'The idempotency key was used with another request.' },
  run_not_paused: { status: 409, title: 'The run is not paused.' },
  run_terminal: { status: 409, title: 'The run has ended.' },
  depth_exceeded: { status: 409, title: 'The run was delegated too deeply.' },
  interrupt_ambiguous: { status: 409, title: 'Several interrupts are open; name one.' },
  cursor_expired: { status: 410, title: 'The cursor has expired; start over.' },
  precondition_failed: { status: 412, title: 'If-Match does not match the current version.' },
  payload_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported.' },
  misdirected_request: { status: 421, title: 'This host is not served here.' },
  unprocessable: { status: 422, title: 'The cluster refused the object.' },
  too_many_requests: { status: 429, title: 'Too many requests.' },
  quota_exceeded: { status: 429, title: 'A quota is used up.' },
  header_fields_too_large: { status: 431, title: 'Too many or too large header fields.' },
  client_closed_request: { status: 499, title: 'The client closed the connection before its request was complete.' },
  internal_error: { status: 500, title: 'An unexpected error occurred.' },
  not_wired: { status: 501, title: 'This feature is not configured on this install.' },
  generation_failed: { status: 502, title: 'The model did not produce a valid config.' },
  bad_gateway: { status: 502, title: 'An upstream answered badly.' },
  store_unavailable: { status: 503, title: 'The store is not reachable.' },
  bus_unavailable: { status: 503, title: 'The event bus is not reachable.' },
  cluster_unavailable: { status: 503, title: 'The cluster API server is not reachable.' },
  review_unavailable: { status: 503, title: 'The access review could not be made.' },
  overloaded: { status: 503, title: 'The server is at its limit of requests under way.' },
  draining: { status: 503, title: 'The server is shutting down.' },
  cluster_timeout: { status: 504, title: 'The cluster API server did not answer in time.' },
  no_fixture: { status: 404, title: 'The run recorded nothing.' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

/** A stable snake_case code of the table. */
export type ErrorCode = keyof typeof errorTable

/** One refused field: an RFC 6901 pointer (`/spec/image`, or `?limit` for a query, `:name` for a path) and why. */
export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

/** The domain's error: a code, never a status; `core/http/problem.ts` alone maps it (RFC 9457). */
export class Fail extends Error {
  readonly code: ErrorCode
  readonly errors: readonly FieldError[]
  readonly retryAfter: number | undefined // seconds
  /** Response headers that belong to the error, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: ErrorCode,
    detail?: string,
    more: {
      errors?: readonly FieldError[]
      retryAfter?: number
      headers?: Readonly<Record<string, string>>
      cause?: unknown
    } = {},
  ) {
    super(detail ?? errorTable[code].title, { cause: more.cause })
    this.name = 'Fail'
    this.code = code
    this.errors = more.errors ?? []
    this.retryAfter = more.retryAfter
    this.headers = more.headers ?? {}
  }
}
