// An agent whose responses no honest agent would send. The input selects its behaviour.
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { appendFileSync } from 'node:fs'

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const journal = process.env.AGENT_JOURNAL

function stream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

// Writes as fast as the reader accepts, until `bytes` are written or the connection ends.
function flood(response: ServerResponse, piece: string, bytes: number): void {
  const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
  let left = bytes
  const write = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= block.length
      if (!response.write(block)) return void response.once('drain', write)
    }
    if (!response.destroyed) response.end()
  }
  response.on('close', () => journal !== undefined && appendFileSync(journal, `written ${bytes - left}\n`))
  write()
}

const actions: Record<string, (response: ServerResponse, bytes: number) => void> = {
  'deep output': (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"output":${deep}}`),
  'deep error': (response) => void response.writeHead(500, { 'content-type': 'application/json' }).end(deep),
  'deep event': (response) => void stream(response).end(`event: output\ndata: ${deep}\n\n`),
  'deep tool': (response) => void stream(response).end(`event: tool.started\ndata: {"arguments":${deep}}\n\n`),
  'deep interrupt': (response) =>
    void stream(response).end(`event: interrupt.requested\ndata: {"question":"?","schema":${deep}}\n\n`),
  'many values': (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(`[${'[],'.repeat(5_000_000)}[]]`),
  'small events': (response, bytes) => flood(stream(response), 'event: step.started\ndata: {"step":1}\n\n', bytes),
  'small texts': (response, bytes) => flood(stream(response), 'data: x\n\n', bytes),
  interrupts: (response, bytes) => flood(stream(response), 'event: interrupt.requested\ndata: {}\n\n', bytes),
  hang: (response) => void stream(response).flushHeaders(),
}

const server = createServer(async (request, response) => {
  if (request.url === '/healthz') return void response.writeHead(200).end()
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const { input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { input?: { do: string; bytes?: number } }
  const action = actions[input?.do ?? '']
  if (request.url === '/invoke' && action !== undefined) action(response, input?.bytes ?? 0)
  else response.writeHead(404).end()
})
server.listen(Number(process.env.AGENT_PORT), '127.0.0.1')
