import type { Dispatcher } from 'undici'
import { collectPieces } from '#core/http-client/request.ts'
import type { ResponsePieces } from '#core/http-client/request.ts'
import { KubeError } from './status.ts'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/** An object in etcd is at most 1.5 MiB. A page of 500 stays far below this, and a runaway response cannot exhaust the memory. */
export const MAX_RESPONSE_BYTES = 256 * 1024 * 1024

/**
 * Sends a request and collects the response. Rejects with undici's error, or immediately with the signal's reason. Uses undici's handlers: the
 * stream and iterator of `request` cost more than all else (a page of 240 KB: 325 against 145 us).
 */
export function collectResponse(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<ResponsePieces> {
  return collectPieces(dispatcher, options, { most: MAX_RESPONSE_BYTES, tooLarge: responseTooLarge, signal })
}

/** Error for a response above the limit. */
export function responseTooLarge(): KubeError {
  return new KubeError(502, 'BadGateway', 'The response of the cluster is too large.')
}

/** Encodings that `decompress` supports, as the value of `accept-encoding`. An API server compresses responses above 128 KiB. */
export const ACCEPTED_ENCODING = 'gzip'

const MAX_AT_ONCE = 4 * 1024 * 1024

const unzip = promisify(gunzip)

/**
 * Decompresses a body in a worker thread if the server compressed it. Rejects with a `KubeError` above the limit, and with zlib's error for
 * a corrupt body. Compression is cheaper than receiving the same response in 4 KB writes over TLS (`npm run bench -- agents-walk`).
 */
export async function decompress({ headers, pieces }: ResponsePieces): Promise<readonly Buffer[]> {
  if (headers['content-encoding'] !== ACCEPTED_ENCODING) return pieces
  const zipped = Buffer.concat(pieces)
  try {
    return [await unzip(zipped, { chunkSize: chunkFor(zipped), maxOutputLength: MAX_RESPONSE_BYTES })]
  } catch (error) {
    throw error instanceof RangeError ? responseTooLarge() : error
  }
}

// The trailer states the decompressed size (RFC 1952, 2.3.1), so that the output fits in one chunk without copying.
function chunkFor(zipped: Buffer): number {
  const length = zipped.length < 18 ? 0 : zipped.readUInt32LE(zipped.length - 4)
  return Math.min(Math.max(length + 1, 64), MAX_AT_ONCE)
}
