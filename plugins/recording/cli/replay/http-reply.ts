/** The response to a request of a replay. */
export interface HttpReply {
  readonly status: number
  /** JSON. */
  readonly body?: object
  /** Events of a stream, in place of `body`. */
  readonly frames?: readonly Buffer[]
  readonly headers?: Readonly<Record<string, string>>
}

/** The recorded caller closed its connection: no response until this caller closes it, too. */
export const noReply = 'none'

/** A refused request. */
export class ReplayRefusal extends Error {
  override readonly name = 'ReplayRefusal'
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}
