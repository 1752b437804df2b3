import { useEffect, useRef, useState } from 'react'
import type { FollowedStream } from '#ui/api/event-stream.ts'
import type { JournalEvent } from '#ui/parts/run/journal-event.ts'
import { addEvents, emptyLog, readEvent } from './event-log.ts'
import type { RunLog } from './event-log.ts'

/** The journal of a run as it is read, and how fresh it is. */
export interface RunEventsState {
  readonly log: RunLog
  readonly connection: 'closed' | 'opening' | 'live' | 'reconnecting' | 'ended'
  readonly error: Error | undefined
}

const closed: RunEventsState = { log: emptyLog, connection: 'closed', error: undefined }

/** Follows the events of a run as long as they are wanted. `onEntries` is called when entries of the journal have come. */
export function useRunEvents(id: string, isWanted: boolean, onEntries: () => void): RunEventsState {
  const [state, setState] = useState<RunEventsState>(closed)
  const listener = useRef(onEntries)
  listener.current = onEntries
  useEffect(() => {
    if (!isWanted) return
    const gone = new AbortController()
    const change = (next: (was: RunEventsState) => RunEventsState): void => {
      if (!gone.signal.aborted) setState(next)
    }
    change(() => ({ ...closed, connection: 'opening' }))
    const gather = gatherByFrame((added) => {
      change((was) => ({ ...was, log: addEvents(was.log, added) }))
      if (added.some(({ seq }) => seq > 0)) listener.current()
    })
    const end = (error?: unknown): void =>
      change((was) => ({ ...was, connection: 'ended', error: error instanceof Error ? error : undefined }))
    const follow = async (stream: FollowedStream): Promise<void> =>
      (await import('#ui/api/event-stream.ts')).followEvents(stream)
    follow({
      path: ['runs', id, 'events'],
      signal: gone.signal,
      onEvent: (frame) => gather(readEvent(frame)),
      onConnected: (isConnected) => change((was) => ({ ...was, connection: isConnected ? 'live' : 'reconnecting' })),
      isLast: ({ event }) => event === 'stream.end',
    }).then(() => end(), end)
    return () => gone.abort()
  }, [id, isWanted])
  return state
}

/** Calls a function with all events of a frame at once: a fast model costs one render a frame. */
function gatherByFrame(take: (events: readonly JournalEvent[]) => void) {
  let waiting: JournalEvent[] = []
  const flush = (): void => {
    const taken = waiting
    waiting = []
    take(taken)
  }
  return (event: JournalEvent | undefined): void => {
    if (event === undefined) return
    waiting.push(event)
    if (waiting.length > 1) return
    // A hidden tab has no frames.
    if (document.hidden) setTimeout(flush, 250)
    else requestAnimationFrame(flush)
  }
}
