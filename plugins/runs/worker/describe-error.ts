/** What may be logged of an error. */
export interface DescribedError {
  readonly error: string
  readonly code?: string
  /** Function, file and line of the innermost frame. */
  readonly at?: string
}

/** Names an error by class, code and place, never by its message: that may quote an input, an answer or a row. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { error: 'unknown' }
  const code = 'code' in error ? error.code : 'status' in error ? error.status : undefined
  const at = placeOf(error)
  return {
    error: error.name,
    ...(typeof code === 'number' || (typeof code === 'string' && /^\w{1,40}$/.test(code))
      ? { code: String(code) }
      : {}),
    ...(at === undefined ? {} : { at }),
  }
}

// The frames follow the message, which may have lines that look like frames.
function placeOf({ stack = '', message }: Error): string | undefined {
  const start = stack.indexOf(message)
  if (start === -1) return undefined
  const frame = /^ {4}at (?:async )?(?:(\S+) \()?.*?([^/\\\s(]+:\d+):\d+\)?$/m.exec(stack.slice(start + message.length))
  return frame ? [frame[1], frame[2]].filter(Boolean).join(' ') : undefined
}
