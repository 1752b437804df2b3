import { createHash } from 'node:crypto'
import { createGunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasTag } from './etag.ts'

/** Content that is equal for every caller of a process. */
export interface StaticFile {
  readonly type: string
  readonly body: string | Buffer
  /** `body` is compressed. */
  readonly isGzip: boolean
  readonly etag: string
}

/** Creates a static file with its validator. */
export function toStaticFile(type: string, body: string | Buffer, { isGzip = false } = {}): StaticFile {
  // Weak, since one tag covers both encodings.
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { type, body, isGzip, etag }
}

/** Sends a static file or 304. Browsers cache it and revalidate each time, unless `cache` says otherwise. */
export function sendStaticFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, isGzip, etag }: StaticFile,
  { cache = 'no-cache', vary = 'accept-encoding' }: { readonly cache?: string; readonly vary?: string } = {},
): FastifyReply {
  void reply.headers({ etag, 'cache-control': cache })
  if (isGzip) void reply.header('vary', vary)
  if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  void reply.type(type)
  if (!isGzip) return reply.send(body)
  if (takesGzip(request.headers['accept-encoding'])) return reply.header('content-encoding', 'gzip').send(body)
  const plain = createGunzip()
  plain.end(body)
  return reply.send(plain)
}

// A coding with `q=0` is refused; `*` does not imply gzip.
function takesGzip(header: string | readonly string[] | undefined): boolean {
  const codings = String(header ?? '').split(',')
  const gzip = codings.map((coding) => coding.split(';')).find(([name = '']) => name.trim().toLowerCase() === 'gzip')
  return gzip !== undefined && !gzip.slice(1).some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(parameter))
}
