/** A field of a request that cannot be translated. The message is for its caller. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest'
  /** Path of the field: `messages[0].content`. */
  readonly field: string
  readonly detail: string
  constructor(field: string, detail: string) {
    super(`${field}: ${detail}`)
    this.field = field
    this.detail = detail
  }
}
