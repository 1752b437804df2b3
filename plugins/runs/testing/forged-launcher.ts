import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '#test/harness/scope.ts'

/** Writes the response to a request for a run's event stream. */
export type Script = (response: ServerResponse, request: IncomingMessage) => unknown

/** A launcher that responds like a real one until the worker follows a run; the script responds to that request. */
export interface ForgedLauncher {
  readonly url: string
  /** Requested paths in order, without queries. */
  readonly asked: readonly string[]
}

/** Starts a forged launcher on a free loopback port; closed with the test. */
export async function startForgedLauncher(t: Scope, script: Script): Promise<ForgedLauncher> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    asked.push(path)
    request.resume()
    if (path.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      void script(response, request)
    } else if (path.endsWith('/ticket')) response.end(JSON.stringify({ ticket: 'forged' }))
    else response.writeHead(path.endsWith('/ack') ? 204 : 200).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** One event of a stream, with the JSON unchanged. */
export function frame(json: string): string {
  return `event: x\ndata: ${json}\n\n`
}

/** The JSON of an entry; `raw` has the JSON of fields to replace. */
export function entryJson(
  kind: string,
  n: number | undefined,
  data: string,
  raw: Readonly<Record<string, string>> = {},
): string {
  const fields = {
    ...(n === undefined ? {} : { n: String(n) }),
    ts: '"2026-01-01T00:00:00.000Z"',
    kind: JSON.stringify(kind),
    path: '["robot"]',
    spanId: '"0000000000000001"',
    data,
    ...raw,
  }
  return `{${Object.entries(fields)
    .map(([key, value]) => `"${key}":${value}`)
    .join(',')}}`
}

/** The JSON of a result's data. */
export function resultJson(state: string, more: string): string {
  return `{"state":"${state}","usage":{"inputTokens":1,"outputTokens":1,"cachedTokens":0,"reasoningTokens":0},${more}}`
}
