import type { Bus, Subscription } from '#core/messaging/bus/bus.ts'
import { shareFrames } from './shared-frames.ts'

/** What travels on `mesh.live.<runId>`: a journal entry (with `seq`), a delta (without), or a nudge to read the journal. */
export interface LiveFrame {
  readonly v: 1
  readonly seq?: number
  readonly runId: string
  readonly ts: string
  readonly kind: string
  readonly agent: string | null
  readonly path: readonly string[]
  readonly spanId: string
  readonly data: Readonly<Record<string, unknown>>
}

const wakeSubject = 'mesh.live.queue'
/** NATS refuses messages above 1 MiB; the journal and the stored text of the message have what is left out. */
const maxFrameBytes = 512 * 1024

/** Live frames and wake-ups: after COMMIT, over the bus's ephemeral half; they may be lost, the tables repair. */
export interface Live {
  frame(frame: LiveFrame): void
  wake(runId: string): void
  /** Each handler is given the same object. */
  onFrame(runId: string, handle: (frame: LiveFrame) => void): Promise<Subscription>
  onWake(handle: (runId: string) => void): Promise<Subscription>
}

/** Wraps the bus. No integrator may subscribe to `mesh.live.>`: frames carry content. */
export function createLive(bus: Bus): Live {
  return {
    frame: (frame) => {
      const bytes = Buffer.from(JSON.stringify(frame))
      if (bytes.length <= maxFrameBytes) bus.emit(`mesh.live.${frame.runId}`, bytes)
    },
    wake: (runId) => bus.emit(wakeSubject, Buffer.from(runId)),
    onFrame: shareFrames(bus),
    onWake: (handle) => bus.listen(wakeSubject, (body) => handle(Buffer.from(body).toString())),
  }
}
