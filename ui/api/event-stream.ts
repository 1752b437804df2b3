import { createParser } from 'eventsource-parser'
import { ApiProblem } from './api-problem.ts'
import { requestApi } from './request-api.ts'
import type { RequestQuery } from './request-api.ts'
import { waitOf } from './retry-wait.ts'

/** An event of a stream. */
export interface StreamedEvent {
  /** Position in the stream; absent for events that are not sent again. */
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: string
}

/** A stream of the API, and what listens to it. */
export interface FollowedStream {
  /** Segments below `/api`. */
  readonly path: readonly string[]
  readonly query?: RequestQuery
  readonly signal: AbortSignal
  readonly onEvent: (event: StreamedEvent) => void
  /** Called whenever the connection is there or lost. */
  readonly onConnected?: (isConnected: boolean) => void
  /** Whether nothing follows this event. */
  readonly isLast?: (event: StreamedEvent) => boolean
}

/**
 * Follows a stream of server-sent events until its last one. A lost connection is opened again after the last event with an id; a request that was
 * refused is an `ApiProblem`, unless the server asks to wait.
 */
export async function followEvents(stream: FollowedStream): Promise<void> {
  const { signal, onConnected } = stream
  const position: Position = { lastId: undefined, isEnded: false, tries: 0 }
  while (!signal.aborted && !position.isEnded) {
    const problem = await readOnce(stream, position).catch((error: unknown) => error)
    if (signal.aborted || position.isEnded) return
    onConnected?.(false)
    if (problem !== undefined && !isPassing(problem)) throw problem
    await pause(waitOf(problem, position.tries), signal)
    position.tries += 1
  }
}

interface Position {
  lastId: string | undefined
  isEnded: boolean
  tries: number
}

async function readOnce(stream: FollowedStream, position: Position): Promise<void> {
  const { path, query = {}, signal, onEvent, onConnected, isLast } = stream
  const { lastId } = position
  const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
  const response = await requestApi({ path, query, headers, signal })
  // 204: nothing follows.
  if (response.status === 204 || response.body === null) {
    position.isEnded = true
    return
  }
  onConnected?.(true)
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      position.tries = 0
      if (id !== undefined && id !== '') position.lastId = id
      onEvent({ id, event, data })
      if (isLast?.({ id, event, data }) === true) position.isEnded = true
    },
  })
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (let read = await reader.read(); !read.done && !position.isEnded; read = await reader.read())
    parser.feed(decoder.decode(read.value, { stream: true }))
  if (position.isEnded) await reader.cancel()
}

// Without a connection, and when the server is overloaded, the next try may succeed. Other errors are of the reader's connection.
function isPassing(problem: unknown): boolean {
  if (!(problem instanceof ApiProblem)) return true
  const { status } = problem.facts
  return status === 0 || status === 429 || status >= 500
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
