/** Content that rules cannot read, so that it is refused while a rule applies. The message is for its caller and quotes no content. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody'
  /** Path of the field: `messages[0].tool_calls[0].function.arguments`. */
  readonly field: string
  readonly detail: string
  constructor(pointer: string, detail: string) {
    const field = fieldOf(pointer)
    super(`${field}: ${detail}`)
    this.field = field
    this.detail = detail
  }
}

function fieldOf(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .slice(0, 200)
}
