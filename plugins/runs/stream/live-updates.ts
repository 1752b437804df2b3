import type { Bus } from '#core/messaging/bus/bus.ts'
import type { LiveFrame, LiveUpdates } from '../contract/live-frame.ts'
import { createFrameFanOut } from './frame-fan-out.ts'

/** Kind of the frame that signals that the journal has entries without a live frame. */
export const behindKind = 'stream.behind'

const wakeSubject = 'mesh.live.queue'
/** NATS refuses messages above 1 MiB. Omitted content is in the journal and the stored text of the message, which readers are signalled to read. */
const maxFrameBytes = 512 * 1024

/** Wraps the bus. No integrator may subscribe to `mesh.live.>`: frames carry content. */
export function createLiveUpdates(bus: Bus): LiveUpdates {
  return {
    frame: (frame) => {
      const bytes = Buffer.from(JSON.stringify(frame))
      const isSent = bytes.length <= maxFrameBytes
      bus.emit(`mesh.live.${frame.runId}`, isSent ? bytes : Buffer.from(JSON.stringify(toBehind(frame))))
    },
    wake: (runId) => bus.emit(wakeSubject, Buffer.from(runId)),
    onFrame: createFrameFanOut(bus),
    onWake: (handle) => bus.listen(wakeSubject, (body) => handle(Buffer.from(body).toString())),
  }
}

function toBehind({ v, runId, ts, agent }: LiveFrame): LiveFrame {
  return { v, runId, ts, kind: behindKind, agent, path: [], spanId: '', data: {} }
}
