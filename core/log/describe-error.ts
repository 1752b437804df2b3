/** Parts of an error that may be logged. */
export interface DescribedError {
  readonly error: string
  readonly code?: string
  /** Reason of a refusal by the cluster, such as `Conflict`. */
  readonly reason?: string
  /** Right that the role's account lacks at the cluster, and the rule of `access` to add to the plugin. */
  readonly right?: string
  readonly rule?: string
  /** Function, file and line of the innermost frame. */
  readonly at?: string
}

/**
 * Class, code, reason and place of an error, never its message. A message may quote an input, a response, a row, or what a caller submitted to
 * the cluster (M7).
 */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { error: 'unknown' }
  const code = 'code' in error ? error.code : 'status' in error ? error.status : undefined
  const at = placeOf(error)
  return {
    error: error.name,
    ...(typeof code === 'number' || isWord(code) ? { code: String(code) } : {}),
    ...('reason' in error && isWord(error.reason) ? { reason: error.reason } : {}),
    ...('missing' in error ? rightOf(error.missing) : {}),
    ...(at === undefined ? {} : { at }),
  }
}

// Contains only the path that was called, never submitted data.
function rightOf(missing: unknown): Pick<DescribedError, 'right' | 'rule'> {
  if (typeof missing !== 'object' || missing === null) return {}
  const { right, rule } = missing as { readonly right?: unknown; readonly rule?: unknown }
  const isSafe = (text: unknown): text is string => typeof text === 'string' && /^[\w .,:/'{}[\]-]{1,300}$/.test(text)
  return isSafe(right) && isSafe(rule) ? { right, rule } : {}
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^\w{1,40}$/.test(value)
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
