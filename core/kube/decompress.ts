import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { MAX_ANSWER_BYTES, tooLarge } from './read-body.ts'
import type { Answer } from './read-body.ts'

/** What `decode` understands, as the value of `accept-encoding`. An API server zips what is above 128 KiB. */
export const ACCEPTED_ENCODING = 'gzip'

const MOST_AT_ONCE = 4 * 1024 * 1024
const unzip = promisify(gunzip)

/**
 * The body of an answer, unzipped where the server zipped it, in a thread of its own; rejects with a `KubeError` for one that exceeds
 * the bound, and with what zlib says for a broken one. TLS and HTTP of what the API server otherwise writes 4 KB at a time cost more than
 * unzipping does (`npm run bench -- agents-walk`).
 */
export async function decode({ headers, pieces }: Answer): Promise<readonly Buffer[]> {
  if (headers['content-encoding'] !== ACCEPTED_ENCODING) return pieces
  const zipped = Buffer.concat(pieces)
  try {
    return [await unzip(zipped, { chunkSize: chunkFor(zipped), maxOutputLength: MAX_ANSWER_BYTES })]
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : error
  }
}

// The trailer says how long the text is (RFC 1952, 2.3.1): made in one chunk, it is not copied together from many.
function chunkFor(zipped: Buffer): number {
  const length = zipped.length < 18 ? 0 : zipped.readUInt32LE(zipped.length - 4)
  return Math.min(Math.max(length + 1, 64), MOST_AT_ONCE)
}
