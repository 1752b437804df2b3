import type { IncomingMessage } from 'node:http'
import { isServedHost } from '#core/net/loopback-host.ts'
import { ReplayRefusal } from './http-reply.ts'

/** A larger call was recorded without its content. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024

const MAX_HEADERS = 64

/**
 * Guards the listener of a replay against pages in a browser on the same machine and names rebound to loopback (H1). Throws `ReplayRefusal`.
 * The size of a body without Content-Length is checked while it is read.
 */
export function guardRequest({ method, headers, rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length / 2 > MAX_HEADERS) throw new ReplayRefusal(431, 'header_fields_too_large', 'too many headers')
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length !== 1 || !isServedHost(headers.host))
    throw new ReplayRefusal(421, 'misdirected_request', 'Host must be a name of this machine')
  const { origin, 'sec-fetch-site': site } = headers
  // A client may send its target as the origin; the listener itself serves no page.
  if ((origin !== undefined && origin !== `http://${headers.host}`) || site === 'cross-site')
    throw new ReplayRefusal(403, 'origin_refused', 'web pages may not use a replay')
  if (method !== 'POST') return
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new ReplayRefusal(415, 'unsupported_media_type', 'Content-Type must be application/json')
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
}

/** Reads a body of at most `MAX_BODY_BYTES`. Throws `ReplayRefusal`, or the error of a connection that was closed. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // The connection stays open for the response to a body that is not read completely.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(): ReplayRefusal {
  return new ReplayRefusal(413, 'payload_too_large', `the body has more than ${MAX_BODY_BYTES} bytes`)
}
