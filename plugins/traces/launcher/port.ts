import { definePort } from '#launcher/contract/http/port.ts'
import { refusals } from '#launcher/contract/http/refusal.ts'
import type { Refusal } from '#launcher/contract/http/refusal.ts'
import { object, optionalField, string } from '#schemas/wire/schema.ts'

/** Maximum size of a body, both as sent and decompressed: the default of gRPC. */
export const MAX_EXPORT_BYTES = 4 * 1024 * 1024

const partialSuccess = object({ rejectedSpans: string(), errorMessage: string() })

/** Port 4318: OTLP over HTTP. */
export const otlpHttpPort = definePort({
  name: 'otlpHttp',
  bodyLimit: MAX_EXPORT_BYTES,
  mediaTypes: ['application/x-protobuf', 'application/json'],
  refusalBody: toStatus,
  routes: {
    traces: {
      method: 'POST',
      path: '/v1/traces',
      summary:
        'Accepts spans (`ExportTraceServiceRequest`), also with `Content-Encoding: gzip`, and responds in their encoding. Metrics and logs are not accepted: 404.',
      body: 'bytes',
      responses: { 200: object({ partialSuccess: optionalField(partialSuccess) }) },
      stream: 'application/x-protobuf',
      refusals: ['too_many_exports'],
    },
  },
})

/** Port 4317: OTLP over gRPC, without a gRPC framework: one method with one message. */
export const otlpGrpcPort = definePort({
  name: 'otlpGrpc',
  protocol: 'h2',
  bodyLimit: MAX_EXPORT_BYTES,
  mediaTypes: ['application/grpc', 'application/grpc+proto'],
  refusalBody: toStatus,
  routes: {
    export: {
      method: 'POST',
      path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
      summary:
        'Accepts spans, also with `grpc-encoding: gzip`. The status of the call is in the trailers: `RESOURCE_EXHAUSTED` for a body that is too large or too many at once, `INVALID_ARGUMENT` for one that is not a message. Other services are `UNIMPLEMENTED`.',
      body: 'bytes',
      responses: {},
      stream: 'application/grpc',
      refusals: ['too_many_exports'],
    },
  },
})

// INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED.
const grpcCodes: Readonly<Partial<Record<number, number>>> = {
  400: 3,
  403: 7,
  404: 12,
  405: 12,
  408: 4,
  413: 8,
  415: 3,
  429: 8,
  431: 8,
}
const INTERNAL = 13

/** gRPC status code of a refusal. */
export function toGrpcCode({ code }: Pick<Refusal, 'code'>): number {
  return grpcCodes[refusals[code].status] ?? INTERNAL
}

// A google.rpc.Status, as OTLP requires for failed requests.
function toStatus(refusal: Refusal): object {
  return { code: toGrpcCode(refusal), message: refusal.message }
}
