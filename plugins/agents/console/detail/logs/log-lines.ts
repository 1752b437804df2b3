/** Lines that are kept; older ones leave. */
export const MOST_LINES = 5_000
const LONGEST = 20_000

/** A line as it is shown. */
export interface ShownLine {
  readonly id: string
  readonly at: string | null
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly words: string
}

const levels: Readonly<Record<string, ShownLine['level']>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
}

/** A line of a log: those of the platform are JSON with time, level and message, those of an agent may be anything. Pure. */
export function parseLogLine(line: string, id: string): ShownLine {
  const words = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
  const read = words.startsWith('{') ? parseObject(line) : undefined
  if (read === undefined) return { id, at: null, level: 'info', words }
  const { time, level, msg, message, ...rest } = read
  const said = typeof msg === 'string' ? msg : message
  const named = typeof level === 'string' ? level.toLowerCase() : ''
  const facts = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest).slice(0, LONGEST)}`
  return {
    id,
    at: typeof time === 'string' ? time : null,
    level: Object.hasOwn(levels, named) ? levels[named]! : 'info',
    words: typeof said === 'string' ? `${said}${facts}` : words,
  }
}

// What begins with a brace is an object, or no JSON.
function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

/** Splits chunks of a stream into lines: the rest of a line waits for its end. */
export function createLineSplitter(): (chunk: string) => readonly string[] {
  let rest = ''
  return (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    return lines.filter((line) => line !== '')
  }
}
