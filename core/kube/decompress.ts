import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { MAX_ANSWER_BYTES, answerTooLarge } from './read-body.ts'
import type { AnswerPieces } from '#core/http-client/request.ts'

/** Encodings that `decompress` supports, as the value of `accept-encoding`. An API server compresses responses above 128 KiB. */
export const ACCEPTED_ENCODING = 'gzip'

const MOST_AT_ONCE = 4 * 1024 * 1024
const unzip = promisify(gunzip)

/**
 * Decompresses a body in a worker thread if the server compressed it. Rejects with a `KubeError` above the limit, and with zlib's error for
 * a corrupt body. Compression is cheaper than receiving the same response in 4 KB writes over TLS (`npm run bench -- agents-walk`).
 */
export async function decompress({ headers, pieces }: AnswerPieces): Promise<readonly Buffer[]> {
  if (headers['content-encoding'] !== ACCEPTED_ENCODING) return pieces
  const zipped = Buffer.concat(pieces)
  try {
    return [await unzip(zipped, { chunkSize: chunkFor(zipped), maxOutputLength: MAX_ANSWER_BYTES })]
  } catch (error) {
    throw error instanceof RangeError ? answerTooLarge() : error
  }
}

// The trailer states the decompressed size (RFC 1952, 2.3.1), so that the output fits in one chunk without copying.
function chunkFor(zipped: Buffer): number {
  const length = zipped.length < 18 ? 0 : zipped.readUInt32LE(zipped.length - 4)
  return Math.min(Math.max(length + 1, 64), MOST_AT_ONCE)
}
