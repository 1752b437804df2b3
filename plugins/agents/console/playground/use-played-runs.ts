import { useEffect, useState } from 'react'
import { followEvents } from '#ui/api/event-stream.ts'
import { newPlayedRun, playEvents } from './played-run.ts'
import type { PlayedEvent } from './played-event.ts'
import type { PlayedRun } from './played-run.ts'

/** Runs by their id, as far as their events were read, and how the stream of the followed one is. */
export interface PlayedRuns {
  readonly runs: Readonly<Record<string, PlayedRun | undefined>>
  readonly isCut: boolean
  /** Why the events cannot be read. */
  readonly error: Error | null
}

interface StreamHealth {
  readonly isCut: boolean
  readonly error: Error | null
}

const healthy: StreamHealth = { isCut: false, error: null }

/**
 * Follows one run, and keeps those that were followed before. Events are gathered by frame, so that a fast model costs one render a frame. The
 * stream ends with the page; the run goes on.
 */
export function usePlayedRuns(followed: string | undefined, agent: string): PlayedRuns {
  const [runs, setRuns] = useState<PlayedRuns['runs']>({})
  const [health, setHealth] = useState(healthy)
  const isKnown = followed !== undefined && (runs[followed]?.isEnded ?? false)
  useEffect(() => {
    setHealth(healthy)
    if (followed === undefined || isKnown) return
    const ends = new AbortController()
    const play = (events: readonly PlayedEvent[]): void =>
      setRuns((was) => ({ ...was, [followed]: playEvents(was[followed] ?? newPlayedRun(followed, agent), events) }))
    const gather = gatherByFrame(play)
    setRuns((was) => ({ ...was, [followed]: newPlayedRun(followed, agent) }))
    followEvents({
      path: ['runs', followed, 'events'],
      signal: ends.signal,
      onEvent: ({ data }) => {
        const event = parseEvent(data)
        if (event !== undefined) gather.add(event)
      },
      onConnected: (isConnected) => setHealth({ isCut: !isConnected, error: null }),
      isLast: ({ event }) => event === 'stream.end',
    }).catch((error: unknown) => {
      if (!ends.signal.aborted)
        setHealth({ isCut: false, error: error instanceof Error ? error : new Error(String(error)) })
    })
    return () => {
      ends.abort()
      gather.stop()
    }
  }, [followed, agent, isKnown])
  return { runs, ...health }
}

function gatherByFrame(show: (events: readonly PlayedEvent[]) => void) {
  let waiting: PlayedEvent[] = []
  let frame = 0
  const flush = (): void => {
    frame = 0
    const events = waiting
    waiting = []
    show(events)
  }
  return {
    add: (event: PlayedEvent): void => {
      waiting.push(event)
      if (frame === 0) frame = requestAnimationFrame(flush)
    },
    stop: (): void => cancelAnimationFrame(frame),
  }
}

/** The event in a frame of the stream; undefined for one that this console does not understand. */
export function parseEvent(data: string): PlayedEvent | undefined {
  try {
    const value: unknown = JSON.parse(data)
    const { kind, data: body } = (value ?? {}) as { readonly kind?: unknown; readonly data?: unknown }
    return typeof kind === 'string' && typeof body === 'object' && body !== null ? (value as PlayedEvent) : undefined
  } catch {
    return undefined
  }
}
