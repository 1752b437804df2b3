import { followLive } from './event-stream.ts'
import type { EventBatch, StreamListener, StreamSource } from './event-stream.ts'

/** How events arrive. */
export type StreamState = 'live' | 'reconnecting' | 'polling' | 'paused'

/** What one tab handles: its own events, or those that another tab reads. */
export interface StreamUse {
  onBatch(batch: EventBatch): void
  onState(state: StreamState): void
  /** What is shown may be older than the first event. */
  onFresh(): void
  /** Events are lost; their number if it is known. */
  onGap(missed: number | undefined): void
}

/** What tabs send each other. */
export type TabMessage =
  | { readonly kind: 'hello' }
  | { readonly kind: 'state'; readonly state: StreamState; readonly position: string | undefined }
  | { readonly kind: 'fresh' }
  | { readonly kind: 'gap' }
  | { readonly kind: 'batch'; readonly leader: string; readonly number: number; readonly batch: EventBatch }

/** Means of a browser that tabs share a stream by. */
export interface TabMeans {
  /** To all other tabs. */
  send(message: TabMessage): void
  /** What other tabs send, until the signal aborts. */
  receive(handle: (message: TabMessage) => void, signal: AbortSignal): void
  /** Calls `lead` when no other tab does, until the promise that it returns is settled. */
  waitForTurn(lead: () => Promise<void>, signal: AbortSignal): Promise<void>
  open: StreamSource['open']
}

/** The stream of all tabs, as this one sees it. */
export interface SharedStream {
  /** Position after the last event of this tab. */
  position(): string | undefined
  /** Ends it here; another tab continues. */
  stop(): void
}

/**
 * Follows events by one stream for all tabs of a browser: a tab reads them, and sends them to the others. Another tab takes over when it stops,
 * after the last event that it has seen itself. A worker cannot read them: Trusted Types refuse its address.
 */
export function shareStream(means: TabMeans, use: StreamUse, from: string | undefined): SharedStream {
  const { waitForTurn, open } = means
  const stopped = new AbortController()
  const { signal } = stopped
  let position = from
  let isLeading = false
  let state: StreamState | undefined
  const show = (next: StreamState): void => {
    state = next
    use.onState(next)
  }
  const seen = createGapCheck()
  const handle = (data: TabMessage): void => {
    if (data.kind === 'hello' && isLeading && state !== undefined) means.send({ kind: 'state', state, position })
    if (isLeading) return
    if (data.kind === 'state') {
      // What the others have seen while this tab was hidden.
      if (from !== undefined && position === from && data.position !== from) use.onFresh()
      position = data.position ?? position
      show(data.state)
    }
    if (data.kind === 'fresh') use.onFresh()
    if (data.kind === 'gap') use.onGap(undefined)
    if (data.kind !== 'batch') return
    const missed = seen(data.leader, data.number)
    if (missed > 0) use.onGap(missed)
    position = data.batch.position
    use.onBatch(data.batch)
  }
  const lead = async (): Promise<void> => {
    isLeading = true
    const listener = sendingListener({ ...use, onState: show }, () => position, means.send)
    const keep: StreamListener = {
      ...listener,
      onBatch: (batch) => {
        position = batch.position
        listener.onBatch(batch)
      },
    }
    await followLive({ open, listener: keep }, position, signal)
  }
  means.receive(handle, signal)
  means.send({ kind: 'hello' })
  waitForTurn(lead, signal).catch(() => undefined)
  return {
    position: () => position,
    stop: () => stopped.abort(),
  }
}

/** What the reading tab does: handles everything itself, and sends it. */
function sendingListener(
  use: StreamUse,
  positionOf: () => string | undefined,
  send: (message: TabMessage) => void,
): StreamListener {
  const leader = crypto.randomUUID()
  let number = 0
  const show = (state: StreamState): void => {
    use.onState(state)
    send({ kind: 'state', state, position: positionOf() })
  }
  return {
    onOpen: (isResumed) => {
      show('live')
      if (isResumed) return
      use.onFresh()
      send({ kind: 'fresh' })
    },
    onBatch: (batch) => {
      use.onBatch(batch)
      send({ kind: 'batch', leader, number: (number += 1), batch })
    },
    onBroken: () => show('reconnecting'),
    onDenied: () => show('polling'),
    onSignedOut: () => show('paused'),
    onGap: () => {
      use.onGap(undefined)
      send({ kind: 'gap' })
    },
  }
}

// A browser that froze a tab sends it no messages. Returns how many of a reading tab are missing.
function createGapCheck(): (leader: string, number: number) => number {
  let last = { leader: '', number: 0 }
  return (leader, number) => {
    const missed = last.leader === leader ? Math.max(0, number - last.number - 1) : 0
    last = { leader, number }
    return missed
  }
}
