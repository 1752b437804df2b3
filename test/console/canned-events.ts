import type { ServerResponse } from 'node:http'
import type { CannedHandler } from './fake-console.ts'

/** A stream of events that a test writes. */
export interface CannedEvents {
  readonly handler: CannedHandler
  /** Sends an event to every page that follows. */
  send(event: { readonly type: string; readonly subject: string }): void
}

/** Opens a stream for `/api/events`. */
export function openEvents(): CannedEvents {
  const followers: ServerResponse[] = []
  let last = 0
  return {
    handler: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      followers.push(response)
    },
    send: (event) => {
      last += 1
      for (const one of followers)
        one.write(`id: 000001-${String(last).padStart(20, '0')}\ndata: ${JSON.stringify(event)}\n\n`)
    },
  }
}
