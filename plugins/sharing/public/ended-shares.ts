import type { Bus, Subscription } from '#core/messaging/bus/bus.ts'

// Ids only. Integrators may not subscribe to `mesh.live.>`.
const subject = 'mesh.live.sharing.ended'
// Below the maximum message size of NATS, at 36 bytes per id.
const idsPerMessage = 10_000

/** Ends the streams of removed shares, in every process. */
export interface EndedShares {
  /** Announces removed shares. */
  announce(shareIds: readonly string[]): void
  /** Calls `end` when the share is removed. Messages may be lost: streams are also checked periodically. */
  follow(shareId: string, end: () => void): Promise<Subscription>
}

/** Creates the announcements of a process: one subscription while there are streams. */
export function createEndedShares(bus: Pick<Bus, 'emit' | 'listen'>): EndedShares {
  const streams = new Map<string, Set<() => void>>()
  let listening: Promise<Subscription> | undefined
  const receive = (body: Uint8Array): void => {
    for (const id of readIds(body)) for (const end of streams.get(id) ?? []) end()
  }
  const leave = async (shareId: string, end: () => void): Promise<void> => {
    const ends = streams.get(shareId)
    ends?.delete(end)
    if (ends?.size === 0) streams.delete(shareId)
    if (streams.size > 0) return
    const opened = listening
    listening = undefined
    await (await opened)?.stop()
  }
  return {
    announce: (shareIds) => {
      for (let at = 0; at < shareIds.length; at += idsPerMessage)
        bus.emit(subject, Buffer.from(JSON.stringify(shareIds.slice(at, at + idsPerMessage))))
    },
    follow: async (shareId, end) => {
      streams.set(shareId, (streams.get(shareId) ?? new Set()).add(end))
      const opened = (listening ??= bus.listen(subject, receive))
      try {
        await opened
      } catch (error) {
        // Another stream may have subscribed again meanwhile.
        if (listening === opened) listening = undefined
        await leave(shareId, end).catch(() => undefined)
        throw error
      }
      return { stop: () => leave(shareId, end) }
    },
  }
}

function readIds(body: Uint8Array): readonly string[] {
  const ids: unknown = JSON.parse(Buffer.from(body).toString())
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
}
