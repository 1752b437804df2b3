import { Fail } from '#core/errors/domain-error.ts'
import type { Call } from '../endpoint/endpoint.ts'
import { serverReplyOf } from '../endpoint/reply.ts'
import { hasTag, readIfMatch } from '../reply/etag.ts'

type VersionCall = Pick<Call<unknown, unknown, unknown>, 'headers' | 'reply'>

/** Responds with a stored row: sets `ETag` to its version, and returns the body, or undefined with 304 if `If-None-Match` has the version. */
export function versioned<Body>(call: VersionCall, version: number, body: Body): Body | undefined {
  const tag = `"${version}"`
  call.reply.header('etag', tag)
  const { method } = serverReplyOf(call).request
  if ((method !== 'GET' && method !== 'HEAD') || !hasTag(call.headers['if-none-match'], tag)) return body
  call.reply.code(304)
  return undefined
}

/**
 * Compares `If-Match` with the version of a stored row; call it in the transaction that locks the row. Throws `precondition_failed` for
 * another version, `malformed_request` unless the header is one entity tag. Without the header, or with `*`, any version matches.
 */
export function requireVersion({ headers }: Pick<VersionCall, 'headers'>, version: number): void {
  const wanted = readIfMatch(headers['if-match'])
  if (wanted !== undefined && wanted !== String(version)) throw new Fail('precondition_failed')
}
