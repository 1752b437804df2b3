import type { Bus, Subscription } from '#core/messaging/bus/bus.ts'
import type { LiveUpdates, LiveFrame } from '../contract/live-frame.ts'

interface Shared {
  readonly handlers: Set<(frame: LiveFrame) => void>
  readonly opened: Promise<Subscription>
}

/** Frames of runs for the clients of this process: one subscription per run, and each frame is parsed once for all clients. */
export function createFrameFanOut(bus: Bus): LiveUpdates['onFrame'] {
  const runs = new Map<string, Shared>()
  const open = (runId: string): Shared => {
    const handlers: Shared['handlers'] = new Set()
    const opened = bus.listen(`mesh.live.${runId}`, (body) => {
      const frame = JSON.parse(Buffer.from(body).toString()) as LiveFrame
      for (const handle of handlers) handle(frame)
    })
    const shared = { handlers, opened }
    runs.set(runId, shared)
    return shared
  }
  return async (runId, handle) => {
    const shared = runs.get(runId) ?? open(runId)
    shared.handlers.add(handle)
    // Removed before the subscription is stopped, so that a new client opens another one.
    const leave = (): boolean => {
      if (!shared.handlers.delete(handle) || shared.handlers.size > 0) return false
      if (runs.get(runId) === shared) runs.delete(runId)
      return true
    }
    const subscription = await shared.opened.catch((error: unknown) => {
      leave()
      throw error
    })
    return {
      stop: async () => {
        if (leave()) await subscription.stop()
      },
    }
  }
}
