import { useEffect, useState } from 'react'
import { requestApi } from '#ui/api/request-api.ts'
import type { AgentPlace } from '../../shared/use-agent.ts'
import { createLineSplitter, MOST_LINES, parseLogLine } from './log-lines.ts'
import type { ShownLine } from './log-lines.ts'

/** Lines that the first response has. */
export const TAIL = 500
/** New lines are shown in groups, so that a fast log costs one render each tenth of a second. */
const SHOW_MS = 100

/** What is read of a log. */
export interface LogSource {
  readonly container: string
  readonly isPrevious: boolean
}

/** The lines so far. */
export interface LogRead {
  readonly lines: readonly ShownLine[]
  readonly isEnded: boolean
  readonly isCut: boolean
  readonly error: Error | null
}

const nothing: LogRead = { lines: [], isEnded: false, isCut: false, error: null }

/** Follows the log of an agent as long as it is shown. Another `attempt` begins again. */
export function useLog(
  { namespace, name }: AgentPlace,
  { container, isPrevious }: LogSource,
  attempt: number,
): LogRead {
  const [read, setRead] = useState(nothing)
  useEffect(() => {
    const ends = new AbortController()
    let waiting: ShownLine[] = []
    const flush = (more?: Partial<LogRead>): void => {
      const added = waiting
      waiting = []
      if (added.length > 0 || more !== undefined) setRead((was) => ({ ...withLines(was, added), ...more }))
    }
    const timer = setInterval(() => flush(), SHOW_MS)
    setRead(nothing)
    readLog({ namespace, name, container, isPrevious, signal: ends.signal }, (line) => waiting.push(line)).then(
      () => flush({ isEnded: true }),
      (error: unknown) => {
        if (!ends.signal.aborted) flush({ error: error instanceof Error ? error : new Error(String(error)) })
      },
    )
    return () => {
      ends.abort()
      clearInterval(timer)
    }
  }, [namespace, name, container, isPrevious, attempt])
  return read
}

function withLines(was: LogRead, added: readonly ShownLine[]): LogRead {
  const all = [...was.lines, ...added]
  return { ...was, lines: all.slice(-MOST_LINES), isCut: was.isCut || all.length > MOST_LINES }
}

interface LogRequest extends AgentPlace, LogSource {
  readonly signal: AbortSignal
}

async function readLog(request: LogRequest, onLine: (line: ShownLine) => void): Promise<void> {
  const { namespace, name, container, isPrevious, signal } = request
  const which = isPrevious ? { previous: 'true' } : { follow: 'true' }
  const { body } = await requestApi({
    path: ['agents', namespace, name, 'logs'],
    query: { container, tail: TAIL, ...which },
    signal,
  })
  const split = createLineSplitter()
  let count = 0
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    for (const line of split(part.value)) onLine(parseLogLine(line, String((count += 1))))
  }
  for (const line of split('\n')) onLine(parseLogLine(line, String((count += 1))))
}
