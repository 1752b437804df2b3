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

const FRAME = '    at '

// The frames follow the message, which may have lines that look like frames.
function placeOf({ stack = '', message }: Error): string | undefined {
  const start = stack.indexOf(message)
  if (start === -1) return undefined
  const lines = stack.slice(start + message.length).split('\n')
  const frame = lines.find((line) => line.startsWith(FRAME) && line.includes('/'))?.slice(FRAME.length)
  if (frame === undefined) return undefined
  // `async name (path/file.ts:27:11)`, or without a name the path alone.
  const called = frame.includes(' (') ? frame.slice(0, frame.indexOf(' (')).replace('async ', '') : ''
  const [file = '', line = ''] = frame.slice(frame.lastIndexOf('/') + 1).split(':')
  return [called, `${file}:${line}`].filter(Boolean).join(' ')
}
