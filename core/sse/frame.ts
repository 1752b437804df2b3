/** One server-sent event (WHATWG HTML, section 9.2). */
export interface Frame {
  readonly event?: string
  readonly data: string
  readonly id?: string
  /** Reconnection time in milliseconds. */
  readonly retry?: number
}

/** Encodes one event. The same Buffer can be sent to every client. */
export function encodeFrame(frame: Frame): Buffer {
  let text = ''
  if (frame.id !== undefined) text += `id: ${oneLine(frame.id)}\n`
  if (frame.event !== undefined) text += `event: ${oneLine(frame.event)}\n`
  if (frame.retry !== undefined) text += `retry: ${frame.retry}\n`
  const data = /[\r\n]/.test(frame.data) ? frame.data.split(/\r\n|\r|\n/).join('\ndata: ') : frame.data
  return Buffer.from(`${text}data: ${data}\n\n`)
}

/** Encodes a comment, which keeps a connection alive without an event. */
export function encodeComment(text: string): Buffer {
  return Buffer.from(`: ${oneLine(text)}\n\n`)
}

// A line break in an id or a name would start another field and let its author forge an event.
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ')
}
