import type { Subscription } from '#core/messaging/bus/bus.ts'

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

/** Live frames and wake-ups: after COMMIT, over the bus's ephemeral half; they may be lost, the tables repair. */
export interface Live {
  frame(frame: LiveFrame): void
  wake(runId: string): void
  /** Each handler is given the same object. */
  onFrame(runId: string, handle: (frame: LiveFrame) => void): Promise<Subscription>
  onWake(handle: (runId: string) => void): Promise<Subscription>
}
