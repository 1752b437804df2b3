/** Every error a loopback listener answers, as `{"error": code, "message"}`: code, status, message. */
export const refusals = {
  malformed_request: { status: 400, message: 'The request is malformed.' },
  unauthenticated: { status: 401, message: 'A valid run grant and attempt token are required.' },
  origin_refused: { status: 403, message: 'Requests of web pages are not served here.' },
  not_found: { status: 404, message: 'Not found.' },
  unknown_run: { status: 404, message: 'This launcher does not know the run.' },
  method_not_allowed: { status: 405, message: 'The path exists, the method does not.' },
  stale_epoch: { status: 409, message: 'A newer worker holds the run.' },
  run_acknowledged: { status: 409, message: 'The run has ended and its result was acknowledged.' },
  depth_exceeded: { status: 409, message: 'The run was delegated too deeply.' },
  stale_ticket: { status: 412, message: 'The ticket is of another boot of the launcher, or too old.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'The content type must be application/json.' },
  misdirected_request: { status: 421, message: 'This host is not served here.' },
  too_many_runs: { status: 429, message: 'All places for runs are taken.' },
  header_fields_too_large: { status: 431, message: 'Too many header fields.' },
  internal_error: { status: 500, message: 'An unexpected error occurred.' },
  delegation_failed: { status: 502, message: 'The run could not be created.' },
  delegate_not_allowed: { status: 403, message: 'The agent may not call that agent.' },
  delegation_refused: { status: 403, message: 'The run was refused.' },
  unknown_target: { status: 404, message: 'There is no such agent.' },
  agent_not_ready: { status: 503, message: 'The agent is not ready.' },
  draining: { status: 503, message: 'The launcher is shutting down.' },
  keys_unavailable: { status: 503, message: 'The keys that verify a run could not be fetched.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

/** A code of the table. */
export type RefusalCode = keyof typeof refusals

/** Refuses a request; only the listener turns it into a status. */
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
