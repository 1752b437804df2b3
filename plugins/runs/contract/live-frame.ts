import type { Subscription } from '#core/messaging/bus/bus.ts'

/** Messages on `mesh.live.<runId>`: a journal entry (with `seq`), a delta (without), or a signal to read the journal. */
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

/** Live frames and signals, sent after COMMIT over core NATS. They may be lost; readers recover from the tables. */
export interface LiveUpdates {
  frame(frame: LiveFrame): void
  wake(runId: string): void
  /** All handlers receive the same object. */
  onFrame(runId: string, handle: (frame: LiveFrame) => void): Promise<Subscription>
  onWake(handle: (runId: string) => void): Promise<Subscription>
}

/** Sends a frame of a stream. */
export type SendFrame = (frame: LiveFrame) => Promise<void> | void
