import type { Store } from '#core/event-store/store.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { createFrameBuffer } from './frame-buffer.ts'
import type { LiveUpdates, LiveFrame, SendFrame } from '../contract/live-frame.ts'
import { behindKind } from './live-updates.ts'
import { toFrame } from './to-frame.ts'
import type { RunWatch } from './run-watch.ts'
import { readProgress } from '../store/internal/executor-content.ts'
import { readJournal, readJournalPage, readPartials } from '../store/reads.ts'
import { unnumberedFrame } from '../lifecycle/unnumbered-frame.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'

/** Dependencies of a stream. */
export interface StreamServices {
  readonly store: Store
  readonly live: LiveUpdates
  readonly watch: RunWatch
}

const pageSize = { rows: 500, bytes: 1024 * 1024 }
// Live frames and the watch end the wait. The timeout is a fallback if both fail.
const idleMs = 60_000
const endKinds = new Set(['run.succeeded', 'run.failed', 'run.cancelled', 'run.timed_out', 'run.rejected'])

/**
 * Streams a run: subscribes and buffers, then sends the journal after `after`, the partial texts, the buffered and the live frames. A gap
 * in the sequence is filled from the journal, so that lost frames lose no entry.
 */
export async function streamRun(
  services: StreamServices,
  run: SelectedRun,
  after: number,
  options: { readonly send: SendFrame; readonly signal: AbortSignal },
): Promise<void> {
  const buffer = createFrameBuffer(options.signal)
  const reader = createReader(services, run, after, options.send)
  const [behind, gone] = [unnumberedFrame(run, behindKind, {}), unnumberedFrame(run, 'stream.gone', {})]
  const subscription = await services.live.onFrame(run.id, buffer.put)
  const unwatch = services.watch.follow(run.id, {
    last: reader.last,
    behind: () => buffer.put(behind),
    gone: () => buffer.put(gone),
  })
  try {
    await reader.catchUp()
    if (!reader.ended()) await reader.snapshot()
    while (!reader.ended() && !options.signal.aborted) {
      const frames = await buffer.take(idleMs)
      if (frames.length === 0) await reader.catchUp()
      for (const frame of frames) {
        if (frame.kind === behindKind) await reader.catchUp()
        else if (frame === gone) await reader.removed()
        else await reader.live(frame)
      }
    }
    if (reader.ended()) await options.send(endFrame(run))
  } finally {
    unwatch()
    await subscription.stop()
  }
}

/** Whether the client has every entry of an ended run; the response is then 204. */
export async function nothingAfter(services: StreamServices, run: SelectedRun, after: number): Promise<boolean> {
  if (!terminalStates.has(run.state) || after === 0) return false
  return (await readJournal(services.store.reader<RunsTables>(), run, after, 1)).length === 0
}

function createReader(services: StreamServices, run: SelectedRun, after: number, send: SendFrame) {
  const db = services.store.reader<RunsTables>()
  let last = after
  let ended = false
  const offsets = new Map<string, number>()

  async function entry(frame: LiveFrame, seq: number): Promise<void> {
    last = seq
    ended = endKinds.has(frame.kind)
    await send(frame)
  }

  async function catchUp(): Promise<void> {
    for (;;) {
      const { entries, isLast } = await readJournalPage(db, run, last, pageSize)
      for (const row of entries) await entry(toFrame(run, row), row.seq)
      if (isLast) return
    }
  }

  return {
    catchUp,
    last: () => last,
    ended: () => ended,
    /** Ends the stream of a run that was removed before the end of the stream, with its namespace or by retention (UXM5). */
    async removed(): Promise<void> {
      if (ended) return
      ended = true
      await send(unnumberedFrame(run, 'run.cancelled', { reason: 'removed' }))
    },
    /** Sends the latest progress and the partial texts of unfinished messages, for a client that connects in the middle. */
    async snapshot(): Promise<void> {
      const progress = run.executor === null ? undefined : await readProgress(db, run.id)
      if (progress !== undefined) await send(unnumberedFrame(run, 'run.progress', { ...progress }))
      for (const { message_id: messageId, text } of await readPartials(db, run)) {
        offsets.set(messageId, text.length)
        await send(unnumberedFrame(run, 'message.snapshot', { messageId, text, offset: text.length }))
      }
    },
    async live(frame: LiveFrame): Promise<void> {
      if (ended) return undefined
      if (frame.seq === undefined) return this.delta(frame)
      if (frame.seq <= last) return
      if (frame.seq > last + 1) return catchUp()
      // The same object, since its encoding is shared by the clients of the run.
      await entry(frame, frame.seq)
    },
    /** Drops the overlap with the snapshot by offset. Missing text is reported as a gap and followed by a new snapshot. */
    async delta(frame: LiveFrame): Promise<void> {
      const { messageId, offset, text } = frame.data
      if (frame.kind !== 'message.delta' || typeof messageId !== 'string' || typeof text !== 'string')
        return send(frame)
      const have = offsets.get(messageId) ?? 0
      const start = typeof offset === 'number' ? offset : have
      if (start + text.length <= have) return
      if (start > have) {
        await send(unnumberedFrame(run, 'stream.gap', { messageId, from: have, to: start }))
        return this.snapshot()
      }
      offsets.set(messageId, start + text.length)
      await send(
        start === have ? frame : { ...frame, data: { ...frame.data, offset: have, text: text.slice(have - start) } },
      )
    },
  }
}

function endFrame(run: SelectedRun): LiveFrame {
  return unnumberedFrame(run, 'stream.end', {})
}
