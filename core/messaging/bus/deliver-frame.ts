import type { Logger } from '#core/log/logger.ts'

/** Handles one live frame of a subject. */
export type FrameHandler = (body: Uint8Array, subject: string) => void

/** Calls a handler of live frames. Delivery is best effort: a frame that the handler cannot read is logged and dropped. */
export function deliverFrame(handle: FrameHandler, body: Uint8Array, subject: string, log?: Logger): void {
  try {
    handle(body, subject)
  } catch (error) {
    log?.warn({ subject, error: error instanceof Error ? error.name : 'unknown' }, 'live frame not readable, dropped')
  }
}
