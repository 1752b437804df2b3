/** JSON of a response with a final newline, so that a terminal shows its prompt on the next line. */
export function toJsonBody(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** The body of an error with a final newline. */
export function endLine(body: string): string {
  return body === '' || body.endsWith('\n') ? body : `${body}\n`
}
