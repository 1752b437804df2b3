import type { Bus } from '#core/messaging/bus/bus.ts'
import type { LiveUpdates } from './live-frame.ts'
import { createFrameFanOut } from './frame-fan-out.ts'

const wakeSubject = 'mesh.live.queue'
/** NATS refuses messages above 1 MiB. Omitted content is in the journal and the stored text of the message. */
const maxFrameBytes = 512 * 1024

/** Wraps the bus. No integrator may subscribe to `mesh.live.>`: frames carry content. */
export function createLiveUpdates(bus: Bus): LiveUpdates {
  return {
    frame: (frame) => {
      const bytes = Buffer.from(JSON.stringify(frame))
      if (bytes.length <= maxFrameBytes) bus.emit(`mesh.live.${frame.runId}`, bytes)
    },
    wake: (runId) => bus.emit(wakeSubject, Buffer.from(runId)),
    onFrame: createFrameFanOut(bus),
    onWake: (handle) => bus.listen(wakeSubject, (body) => handle(Buffer.from(body).toString())),
  }
}
