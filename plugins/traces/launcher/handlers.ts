import type { ServerResponse } from 'node:http'
import { writeProtobufResponse } from '#core/otlp/read-protobuf.ts'
import { singleHeader } from '#launcher/contract/http/headers.ts'
import { streamed } from '#launcher/contract/http/port.ts'
import type { Call, ServedPort } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { RefusalCode } from '#launcher/contract/http/refusal.ts'
import type { Exports, Taken } from './exports.ts'
import { otlpGrpcPort, otlpHttpPort, toGrpcCode } from './port.ts'

type HttpRoute = (typeof otlpHttpPort.routes)['traces']
type GrpcRoute = (typeof otlpGrpcPort.routes)['export']

/** Port 4318 with its handler. */
export function serveHttp(exports: Exports): ServedPort {
  return otlpHttpPort.serve({
    traces: ({ request, response, body }: Call<HttpRoute>) =>
      exports.admit(async () => {
        const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '')
        const taken = await exports.take(await body(), {
          isJson,
          compression: singleHeader(request, 'content-encoding'),
        })
        if (isJson) return { status: 200, body: toJson(taken) }
        const bytes = writeProtobufResponse(taken)
        response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': bytes.length }).end(bytes)
        return streamed
      }),
  })
}

function toJson({ rejected, reason = '' }: Taken) {
  return rejected === 0 ? {} : { partialSuccess: { rejectedSpans: String(rejected), errorMessage: reason } }
}

/** Port 4317 with its handler. `onRefusal` is called for calls that are refused in the trailers. */
export function serveGrpc(exports: Exports, onRefusal: (listener: string, code: RefusalCode) => void): ServedPort {
  return otlpGrpcPort.serve({
    export: async ({ request, response, body }: Call<GrpcRoute>) => {
      try {
        const taken = await exports.admit(async () => {
          const { message, isCompressed } = unframe(await body())
          const compression = isCompressed ? singleHeader(request, 'grpc-encoding') : undefined
          return exports.take(message, { isJson: false, compression })
        })
        answer(response, { code: 0, frame: frame(writeProtobufResponse(taken)) })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        onRefusal(otlpGrpcPort.name, error.code)
        answer(response, { code: toGrpcCode(error), message: error.message })
      }
      return streamed
    },
  })
}

const PREFIX_BYTES = 5

// Length-Prefixed-Message: a compression flag, four bytes of length, the message.
function unframe(body: Buffer): { readonly message: Buffer; readonly isCompressed: boolean } {
  const flag = body[0]
  const isWhole = body.length >= PREFIX_BYTES && body.readUInt32BE(1) === body.length - PREFIX_BYTES
  if (!isWhole || (flag !== 0 && flag !== 1))
    throw new Refusal('malformed_request', 'the body must be one gRPC message')
  return { message: body.subarray(PREFIX_BYTES), isCompressed: flag === 1 }
}

function frame(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

interface GrpcAnswer {
  readonly code: number
  readonly message?: string
  readonly frame?: Buffer
}

function answer(response: ServerResponse, { code, message, frame: bytes }: GrpcAnswer): void {
  response.writeHead(200, { 'content-type': 'application/grpc' })
  response.addTrailers({
    'grpc-status': String(code),
    ...(message === undefined ? {} : { 'grpc-message': encodeURIComponent(message) }),
  })
  response.end(bytes)
}
