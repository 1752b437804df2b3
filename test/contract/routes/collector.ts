import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '#test/harness/scope.ts'

/** A trace collector that keeps what it receives. */
export interface Collector {
  readonly url: string
  /** Everything received, unparsed. */
  text(): string
  /** Waits for the next export. Rejects after 30 s. */
  untilMore(): Promise<void>
}

/** Starts a collector (OTLP/HTTP) on a free port. */
export async function startCollector(t: Scope): Promise<Collector> {
  const kept: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      kept.push(Buffer.concat(chunks).toString('latin1'))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      server.emit('spans')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => kept.join('\n'),
    untilMore: async () => void (await once(server, 'spans', { signal: AbortSignal.timeout(30_000) })),
  }
}
