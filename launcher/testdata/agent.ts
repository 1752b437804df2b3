// An agent as a user would write it: an HTTP server without an SDK. The input selects its behaviour.
import { createServer, get } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { appendFileSync } from 'node:fs'

interface Input {
  readonly do?: string
  readonly value?: unknown
}

const running = new Map<string, ServerResponse>()
const journal = process.env.AGENT_JOURNAL

function note(line: string): void {
  if (journal !== undefined) appendFileSync(journal, `${line}\n`)
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const actions: Record<
  string,
  (body: Record<string, unknown>, response: ServerResponse, request: IncomingMessage) => void
> = {
  echo: (body, response) => json(response, 200, { output: body }),
  headers: (_, response, request) => json(response, 200, { output: request.headers }),
  environment: (_, response) => json(response, 200, { output: process.env }),
  text: (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('plain text'),
  fail: (_, response) => json(response, 500, { error: { message: 'no luck' } }),
  crash: () => process.exit(7),
  hang: (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: partial\n\n'),
  deaf: () => undefined,
  // Keeps working when the caller disconnects.
  pull: (body) => void get(String((body.input as Input).value), (answer) => answer.resume()),
  stream: (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const word of ['Hel', 'lo ', 'wörld']) response.write(`data: ${word}\n\n`)
    response.end('data: [DONE]\n\n')
  },
  kinds: (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (event: string, data: unknown) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    send('run.succeeded', { output: 'forged' })
    send('step.started', { step: 1 })
    send('tool.started', { toolCallId: 't', name: 'look' })
    send('tool.finished', { toolCallId: 't', name: 'look', result: 1 })
    send('message.delta', { messageId: 'm1', text: 'a' })
    send('message.delta', { messageId: 'm1', text: 'b' })
    send('usage.reported', { inputTokens: 3, outputTokens: 4 })
    send('output', { answer: 42 })
    response.end()
  },
  ask: (body, response) => {
    const { resume } = (body.context ?? {}) as {
      resume?: { resolutions: { payload?: unknown }[]; checkpoint: unknown }
    }
    if (resume !== undefined)
      return json(response, 200, { output: [resume.resolutions[0]?.payload, resume.checkpoint] })
    return json(response, 200, { interrupts: [{ id: 'q1', question: 'Which colour?' }], checkpoint: { at: 3 } })
  },
}

const server = createServer(async (request, response) => {
  if (request.url === '/healthz') return void response.writeHead(process.env.AGENT_UNHEALTHY ? 500 : 404).end()
  const body = await read(request)
  const runId = String(request.headers['x-mesh-run-id'])
  if (request.url === '/cancel') {
    const known = process.env.AGENT_CANCELS === 'true' ? running.get(runId) : undefined
    note(`cancel ${runId}`)
    known?.end()
    return void response.writeHead(known === undefined ? 404 : 204).end()
  }
  note(`invoke ${runId} ${process.pid}`)
  running.set(runId, response)
  const input = (body.input ?? {}) as Input
  actions[input.do ?? 'echo']?.(body, response, request)
})

if (process.env.AGENT_ORPHANS !== undefined) {
  const { spawn } = await import('node:child_process')
  // Double-forked: the shell in between ends immediately, so its child belongs to process 1 of the container.
  const each = 'i=0; while [ $i -lt "$AGENT_ORPHANS" ]; do (sleep 0.01 &) ; i=$((i+1)); done'
  // Some wait for a line from the gate, so that a test sees them adopted even on a slow machine.
  const held = 'i=0; while [ $i -lt "$AGENT_HELD_ORPHANS" ]; do (read line < "$AGENT_GATE" &) ; i=$((i+1)); done'
  spawn('/bin/sh', ['-c', `${held}; ${each}`], { stdio: 'ignore' }).on('exit', () => note('orphans forked'))
}
for (const signal of ['SIGHUP', 'SIGUSR2', 'SIGQUIT', 'SIGWINCH', 'SIGCONT'] as const)
  process.on(signal, () => note(`signal ${signal} ${Date.now()}`))
process.on('SIGTERM', () => {
  note('signal SIGTERM')
  if (process.env.AGENT_STUBBORN !== 'true') process.exit(Number(process.env.AGENT_TERM_CODE ?? 0))
})
server.listen(Number(process.env.AGENT_PORT), '127.0.0.1', () => note(`listening ${process.pid}`))
