import type { Call } from '#core/http/endpoint/endpoint.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import type { EventStreamOptions } from '#core/http/stream/event-stream.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { streamRun } from '../stream/stream-run.ts'
import type { StreamServices } from '../stream/stream-run.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import type { SelectedRun } from '../contract/tables.ts'
import type { AgUiEvent } from './event.ts'
import { createFrameMapper, endsRun } from './map-frames.ts'
import type { MappedRun } from './map-frames.ts'

/** Which part of a run is streamed. */
export interface AgUiPart {
  readonly run: SelectedRun
  /** Ids of the client, and its version. */
  readonly as: Pick<MappedRun, 'threadId' | 'runId' | 'isCurrent'>
  /** The stream begins after this journal entry, the pause whose interrupts were answered. */
  readonly resumed?: number
  /** The stream continues after this journal entry, without a start. */
  readonly after?: number
  /** Whether the stream ends when the run pauses; in the protocol, the run continues in another stream. */
  readonly endsAtPause: boolean
}

type StreamCall = Parameters<typeof openEventStream>[0] & Pick<Call<unknown, unknown, unknown>, 'reply'>

/**
 * Streams a run as events of AG-UI. The journal is mapped from its beginning, since the events of an entry depend on open entities. Only events of
 * the requested part are sent. An entry has an `id` only when nothing is open: a reader that reconnects there misses no start.
 */
export async function streamAgUi(
  services: StreamServices,
  call: StreamCall,
  part: AgUiPart,
  recheck: NonNullable<EventStreamOptions['recheck']>,
): Promise<undefined> {
  const { run, as, resumed, after = 0, endsAtPause } = part
  const stream = openEventStream(call, { recheck })
  const gone = new AbortController()
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void stream.closed.then(() => gone.abort())
  const mapper = createFrameMapper({ ...as, id: run.id })
  const sendAll = async (events: readonly AgUiEvent[], id?: string): Promise<void> => {
    for (const [index, event] of events.entries()) {
      const isLast = id !== undefined && index === events.length - 1
      await stream.send(encodeFrame({ data: JSON.stringify(event), ...(isLast ? { id } : {}) }))
    }
  }
  let sends = resumed === undefined && after === 0
  if (sends) await sendAll([mapper.start()])
  const send = async (frame: LiveFrame): Promise<void> => {
    const events = mapper.map(frame)
    if (!sends) {
      sends = frame.seq !== undefined && frame.seq >= (resumed ?? after)
      if (sends && resumed !== undefined) await sendAll([mapper.start()])
      return
    }
    // The start of a resumed part was already sent, and the client knows the effect of its own answers.
    if (resumed !== undefined && isAnswered(frame)) return
    await sendAll(events, mapper.isSettled && frame.seq !== undefined ? String(frame.seq) : undefined)
    if (endsRun(frame) && (endsAtPause || frame.kind !== 'run.paused')) gone.abort()
  }
  await streamRun(services, run, 0, { send, signal: gone.signal })
  stream.end()
  return undefined
}

function isAnswered({ kind }: LiveFrame): boolean {
  return kind === 'run.resumed' || kind === 'interrupt.resolved'
}
