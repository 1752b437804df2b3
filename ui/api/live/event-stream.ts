import { createParser } from 'eventsource-parser'
import { readProblem } from '../api-problem.ts'
import type { ApiProblem } from '../api-problem.ts'
import { waitOf } from '../retry-wait.ts'
import { toLiveEvent } from './live-event.ts'
import type { LiveEvent } from './live-event.ts'

/** Events that arrived together, with the position after them. */
export interface EventBatch {
  readonly events: readonly LiveEvent[]
  /** `sequence` of the last one. */
  readonly position: string
}

/** What a stream reports. */
export interface StreamListener {
  /** The stream is open. `isResumed` is false for the first one and after a gap: what happened before it is not known. */
  onOpen(isResumed: boolean): void
  onBatch(batch: EventBatch): void
  /** The stream has ended, and is opened again. */
  onBroken(): void
  /** The caller may not follow events, or there is no stream. */
  onDenied(): void
  /** The session has ended. */
  onSignedOut(): void
  /** Events between two connections are lost, as after a restored backup. */
  onGap(): void
}

/** Where a stream comes from. */
export interface StreamSource {
  /** Requests the events after a position; from now on without one. */
  open(after: string | undefined, areTypesKnown: boolean, signal: AbortSignal): Promise<Response>
  readonly listener: StreamListener
  /** From 0 to 1, for the pause before another attempt. */
  readonly random?: () => number
}

const LONGEST_MS = 15_000
const DENIED_MS = 60_000
/** The server writes every 15 s; a connection without a byte for so long is dead. */
const SILENT_MS = 45_000
const STEADY_MS = 5_000
const positionPattern = /^\d{6}-\d{20}$/

interface Following {
  position: string | undefined
  attempt: number
  areTypesKnown: boolean
}

/** Follows the events of the caller until the signal aborts: opens the stream again when it ends, after the last event that arrived. */
export async function followLive(source: StreamSource, from: string | undefined, signal: AbortSignal): Promise<void> {
  const state: Following = { position: from, attempt: 0, areTypesKnown: true }
  while (!signal.aborted) {
    const wait = await followOnce(source, state, signal).catch(() => (signal.aborted ? 0 : pauseOf(source, state)))
    if (signal.aborted) return
    if (wait > 0) await pause(wait, signal)
  }
}

function pauseOf({ listener, random }: StreamSource, state: Following, problem?: ApiProblem): number {
  listener.onBroken()
  return waitOf(problem, state.attempt++, random)
}

/** Returns the milliseconds before the next attempt. */
async function followOnce(source: StreamSource, state: Following, signal: AbortSignal): Promise<number> {
  const silent = new AbortController()
  const either = AbortSignal.any([signal, silent.signal])
  const response = await source.open(state.position, state.areTypesKnown, either)
  if (response.status !== 200 || response.body === null) return afterRefusal(source, state, response)
  source.listener.onOpen(state.position !== undefined)
  const openedAt = Date.now()
  await readFrames(source, state, { body: response.body, silent })
  // A server that closes each stream at once is asked less and less often.
  if (Date.now() - openedAt >= STEADY_MS) state.attempt = 0
  return pauseOf(source, state)
}

async function afterRefusal(source: StreamSource, state: Following, response: Response): Promise<number> {
  const { listener } = source
  if (response.status === 401) {
    listener.onSignedOut()
    return LONGEST_MS
  }
  // The position is that of another log: of one before a restore, or of another server at this address.
  if (response.status === 400 && state.position !== undefined) {
    state.position = undefined
    listener.onGap()
    return 0
  }
  // A plugin that is off has no types.
  if (response.status === 400 && state.areTypesKnown) {
    state.areTypesKnown = false
    return 0
  }
  if (response.status === 429 || (response.status >= 500 && response.status !== 501)) {
    return pauseOf(source, state, await readProblem(response))
  }
  listener.onDenied()
  return DENIED_MS
}

interface OpenStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly silent: AbortController
}

async function readFrames({ listener }: StreamSource, state: Following, { body, silent }: OpenStream): Promise<void> {
  let events: LiveEvent[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => {
      if (id === undefined || !positionPattern.test(id)) return
      if (hasOtherEpoch(state.position, id)) listener.onGap()
      state.position = id
      const event = toLiveEvent(data)
      if (event !== undefined) events.push(event)
    },
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const watch = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), SILENT_MS)
  }
  try {
    watch()
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      watch()
      parser.feed(read.value)
      if (state.position !== undefined && events.length > 0) listener.onBatch({ events, position: state.position })
      events = []
    }
  } finally {
    clearTimeout(timer)
  }
}

// The first six figures count the restores of the log.
function hasOtherEpoch(before: string | undefined, now: string): boolean {
  return before !== undefined && before.slice(0, 6) !== now.slice(0, 6)
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
