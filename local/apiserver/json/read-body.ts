import type { IncomingMessage } from 'node:http'
import { tooLarge } from './api-error.ts'

const BODY_LIMIT = 3 * 1024 * 1024

/** The request's body, at most 3 MiB, as in kube-apiserver. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  // A small body has usually arrived: its iterator would cost more than its parsing.
  if (request.complete && !request.readableEnded) return limited((request.read() as Buffer | null) ?? Buffer.alloc(0))
  const chunks: Buffer[] = []
  let size = 0
  // The connection must survive this loop: a body that is too large gets a response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk
    size += bytes.length
    if (size > BODY_LIMIT) throw tooLarge(BODY_LIMIT)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function limited(body: Buffer): Buffer {
  if (body.length > BODY_LIMIT) throw tooLarge(BODY_LIMIT)
  return body
}

/** The request's body as a string. */
export async function readBody(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString('utf8')
}

/** The media type of a body, without parameters. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}
