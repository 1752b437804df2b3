import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** A request of an exporter, with the spans that its protobuf message holds. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly resource: Readonly<Record<string, string>>
  readonly spans: readonly { readonly name: string; readonly traceId: string; readonly kind: number }[]
}

/** A receiver of OTLP with protobuf on a free port. */
export interface OtlpReceiver {
  readonly endpoint: string
  readonly requests: readonly Received[]
}

type Ends = { after(fn: () => unknown): void }

/** Receives OTLP/HTTP. */
export async function startHttpReceiver(t: Ends): Promise<OtlpReceiver> {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    requests.push({ path: request.url ?? '', headers: request.headers, ...toContent(Buffer.concat(chunks)) })
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Receives OTLP/gRPC: HTTP/2 without TLS, messages with a prefix of five bytes, the status in a trailer. */
export async function startGrpcReceiver(t: Ends): Promise<OtlpReceiver> {
  const requests: Received[] = []
  const server = createHttp2Server().listen(0, '127.0.0.1')
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders & { readonly ':path'?: string }) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.once('end', () => {
      const message = Buffer.concat(chunks).subarray(5)
      requests.push({ path: headers[':path'] ?? '', headers, ...toContent(message) })
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.alloc(5))
    })
  })
  await once(server, 'listening')
  t.after(() => void server.close())
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

// Field numbers of opentelemetry-proto: ExportTraceServiceRequest, ResourceSpans, ScopeSpans, Span.
function toContent(message: Buffer): Pick<Received, 'resource' | 'spans'> {
  const [resourceSpans] = bytesOf(message, 1)
  if (resourceSpans === undefined) return { resource: {}, spans: [] }
  const [resource = Buffer.alloc(0)] = bytesOf(resourceSpans, 1)
  const attributes = bytesOf(resource, 1).map((pair) => {
    const [value = Buffer.alloc(0)] = bytesOf(pair, 2)
    return [String(bytesOf(pair, 1)[0]), String(bytesOf(value, 1)[0])]
  })
  const spans = bytesOf(resourceSpans, 2).flatMap((scope) => bytesOf(scope, 2))
  return {
    resource: Object.fromEntries(attributes) as Record<string, string>,
    spans: spans.map((span) => ({
      name: String(bytesOf(span, 5)[0]),
      traceId: bytesOf(span, 1)[0]?.toString('hex') ?? '',
      kind: Number(fieldsOf(span).find(({ field }) => field === 6)?.value ?? 0),
    })),
  }
}

function bytesOf(message: Buffer, wanted: number): readonly Buffer[] {
  return fieldsOf(message).flatMap(({ field, value }) => (field === wanted && Buffer.isBuffer(value) ? [value] : []))
}

interface Field {
  readonly field: number
  readonly value: Buffer | number
}

function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => message.subarray(at, (at += length))
  while (at < message.length) {
    const tag = varint()
    const [field, type] = [Math.floor(tag / 8), tag % 8]
    if (type === 0) fields.push({ field, value: varint() })
    else fields.push({ field, value: take(type === 1 ? 8 : type === 5 ? 4 : varint()) })
  }
  return fields
}
