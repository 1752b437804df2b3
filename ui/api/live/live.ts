import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { allStale, followedTypes, isStale, staleKeysOf } from './event-keys.ts'
import type { StaleKey } from './event-keys.ts'
import type { LiveEvent } from './live-event.ts'
import { shareStream } from './shared-stream.ts'
import type { SharedStream, StreamState, TabMeans, TabMessage } from './shared-stream.ts'
import { createStaleQueue } from './stale-queue.ts'
import { capabilitiesQuery } from '../capabilities.ts'
import { toApiUrl } from '../request-api.ts'
import { currentSession, loadSession, onSession } from '../session.ts'

/** How fresh what is shown is: by events, by polling, or not at all. */
export type LiveState =
  | { readonly kind: 'live' | 'reconnecting' | 'paused' }
  | { readonly kind: 'polling'; readonly seconds: number }
  | { readonly kind: 'gap'; readonly missed: number | undefined }

const POLL_MS = 10_000
/** A tab that is hidden for a moment keeps its stream. */
const HIDDEN_MS = 10_000
/** After so long everything is read again, in place of what happened meanwhile. */
const LONG_HIDDEN_MS = 5 * 60_000
const GAP_MS = 8_000

const listeners = new Set<() => void>()
const eventListeners = new Set<(event: LiveEvent) => void>()
let freshness: LiveState = { kind: 'reconnecting' }

/** How fresh the page is, for its `LiveBadge`. Queries of `apiQuery` are sent again by events; a page does nothing for it. */
export function useLive(): LiveState {
  return useSyncExternalStore(subscribe, () => freshness)
}

/** The interval of a query that events do not refresh often enough, in milliseconds; false while they do. */
export function useLiveInterval(pollMs: number): number | false {
  return useLive().kind === 'polling' ? pollMs : false
}

/** Calls a listener with each event that the caller may see. Returns the function that ends it. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  eventListeners.add(listener)
  return () => eventListeners.delete(listener)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function show(next: LiveState): void {
  freshness = next
  for (const listener of listeners) listener()
}

/** Keeps queries fresh while there is a session and the page is visible: by the events of one stream for all tabs, or by polling. */
export function startLive(queries: QueryClient): void {
  const refresh = (key: StaleKey, cancelRefetch = true): void => {
    const predicate = ({
      queryKey,
      meta,
    }: {
      queryKey: readonly unknown[]
      meta: Record<string, unknown> | undefined
    }) => meta?.['isLive'] !== false && isStale(queryKey, key)
    const refetchType = document.hidden ? 'none' : 'active'
    queries.invalidateQueries({ predicate, refetchType }, { cancelRefetch }).catch(() => undefined)
  }
  const queue = createStaleQueue((key) => refresh(key))
  const refreshAll = (cancelRefetch: boolean): void => allStale.forEach((key) => refresh(key, cancelRefetch))
  const state = createShownState()
  const stream = createRestartable(() =>
    shareStream(
      browserMeans(queries),
      {
        onBatch: ({ events }) => {
          queue.add(events.flatMap(staleKeysOf))
          for (const event of events) for (const listener of eventListeners) listener(event)
        },
        onState: state.show,
        // What is being read is read after the stream has begun.
        onFresh: () => refreshAll(false),
        onGap: (missed) => {
          state.showGap(missed)
          refreshAll(true)
        },
      },
      stream.position(),
    ),
  )
  setInterval(() => {
    if (freshness.kind === 'polling' && !document.hidden) refreshAll(false)
  }, POLL_MS)
  followVisibility(stream)
  followSession(stream)
}

interface RestartableStream {
  position(): string | undefined
  start(): void
  stop(): void
  /** Without a position, everything is read again. */
  forget(): void
}

function createRestartable(begin: () => SharedStream): RestartableStream {
  let running: SharedStream | undefined
  let position: string | undefined
  return {
    position: () => position,
    start: () => {
      running ??= begin()
    },
    stop: () => {
      position = running?.position() ?? position
      running?.stop()
      running = undefined
      show({ kind: 'paused' })
    },
    forget: () => {
      position = undefined
    },
  }
}

// A gap is shown for a while.
function createShownState() {
  let state: StreamState = 'reconnecting'
  let gap: ReturnType<typeof setTimeout> | undefined
  const current = (): LiveState => (state === 'polling' ? { kind: state, seconds: POLL_MS / 1_000 } : { kind: state })
  return {
    show: (next: StreamState): void => {
      state = next
      if (gap === undefined || next !== 'live') show(current())
    },
    showGap: (missed: number | undefined): void => {
      clearTimeout(gap)
      show({ kind: 'gap', missed })
      gap = setTimeout(() => {
        gap = undefined
        show(current())
      }, GAP_MS)
    },
  }
}

let isSignedIn = false

function followVisibility(stream: RestartableStream): void {
  let hiddenAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (document.hidden) {
      hiddenAt = Date.now()
      timer = setTimeout(stream.stop, HIDDEN_MS)
      return
    }
    if (Date.now() - hiddenAt > LONG_HIDDEN_MS) stream.forget()
    if (isSignedIn) stream.start()
  })
}

// Another persona sees other events; another person begins with none.
function followSession(stream: RestartableStream): void {
  let known: string | undefined
  const look = (): void => {
    const session = currentSession()
    const caller = session === undefined ? undefined : JSON.stringify([session.username, session.persona])
    isSignedIn = caller !== undefined
    if (caller === known) return
    stream.stop()
    if (known !== undefined && caller !== undefined) stream.forget()
    known = caller ?? known
    if (caller !== undefined && !document.hidden) stream.start()
  }
  onSession(look)
  look()
}

// Without locks, as on a page that is not secure, each tab has a stream of its own.
function browserMeans(queries: QueryClient): TabMeans {
  const channel = new BroadcastChannel('mesh-live')
  const { locks } = navigator as { readonly locks?: LockManager }
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not of a window: a channel is of one origin
    send: (message) => channel.postMessage(message),
    receive: (handle, signal) => {
      channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => handle(data), { signal })
      signal.addEventListener('abort', () => channel.close(), { once: true })
    },
    waitForTurn: async (lead, signal) => {
      if (locks === undefined) await lead()
      else await locks.request('mesh-live', { signal }, lead)
    },
    open: async (after, areTypesKnown, signal) => {
      if (!(await mayFollow(queries))) return new Response(null, { status: 403 })
      const type = areTypesKnown ? followedTypes.join(',') : undefined
      const response = await fetch(toApiUrl(['events'], { scope: 'permitted', after, type }), { signal })
      // The page asks for another sign-in.
      if (response.status === 401) loadSession().catch(() => undefined)
      return response
    },
  }
}

// A refused stream would be an error in the browser's console. The navigation has asked the same; without a response, the stream itself says it.
async function mayFollow(queries: QueryClient): Promise<boolean> {
  const found = await queries.fetchQuery(capabilitiesQuery).catch(() => undefined)
  return found?.capabilities.find(({ id }) => id === 'integrations.events')?.enabled !== false
}
