import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as received (opentelemetry-proto, JSON encoding). */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code: number }
  /** `service.name` of the resource. */
  readonly service: unknown
}

/** A receiver for OTLP/HTTP with JSON on a free port. It keeps every span and the bytes of every request. */
export interface Collector {
  readonly endpoint: string
  readonly spans: readonly ReceivedSpan[]
  readonly bodies: readonly string[]
  /** Status of the next responses; 0 sends no response. */
  status: number
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] }
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ReceivedSpan, 'service'>[] }[]
  }[]
}

/** Starts a collector and stops it with the test. */
export async function startCollector(t: { after(fn: () => unknown): void }): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const collector = { endpoint: '', spans, bodies, status: 200 }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    if (collector.status === 0) return
    if (
      !['/v1/traces', '/v1/metrics'].includes(request.url ?? '') ||
      request.headers['content-type'] !== 'application/json'
    ) {
      response.writeHead(400).end()
      return
    }
    const body = Buffer.concat(chunks).toString('utf8')
    if (collector.status < 300) {
      bodies.push(body)
      if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(body) as Exported))
    }
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  collector.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return collector
}

function spansOf({ resourceSpans }: Exported): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })))
  })
}
