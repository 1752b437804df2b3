import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { messagesTranslation } from '#core/model-apis/translation.ts'
import { frameData, framesIn } from '#core/sse/stream-frames.ts'
import type { LauncherConfig } from '#schemas/launcher/launcher.ts'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startMoneyServer } from './money-server.ts'
import { startTestLauncher } from './start-launcher.ts'

/** A request that the gateway received. */
export interface GatewayRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Responds to a request to the gateway. */
export type GatewayReply = (response: ServerResponse, request: GatewayRequest) => void

/** A gateway whose responses a test sets. */
export async function startGateway(t: Scope, reply: GatewayReply) {
  const requests: GatewayRequest[] = []
  const closed: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
    const text = Buffer.concat(chunks).toString('utf8')
    const body = (text === '' ? {} : JSON.parse(text)) as GatewayRequest['body']
    const seen = { path: request.url ?? '', headers: request.headers, text, body }
    requests.push(seen)
    response.on('close', () => closed.push(response.writableFinished ? 'finished' : 'aborted'))
    gateway.reply(seen.path === '/v1/messages' ? asMessages(response) : response, seen)
  })
  const gateway = { url: await listen(t, server), requests, closed, reply, server }
  return gateway
}

// The gateway translates chat completions for callers of the Messages API.
function asMessages(response: ServerResponse): ServerResponse {
  const events = messagesTranslation.events()
  let isStream = false
  const translate = (text: string): Buffer => {
    if (!isStream) {
      const body = JSON.parse(text) as Record<string, unknown>
      return Buffer.from(JSON.stringify(body['choices'] === undefined ? body : messagesTranslation.whole(body)))
    }
    const frames = [...framesIn(Buffer.from(text))].map((frame) => {
      const data = frameData(frame)
      if (data === undefined) return frame
      return data === '[DONE]' ? events.end() : events.chunk(JSON.parse(data) as Record<string, unknown>)
    })
    return Buffer.concat(frames)
  }
  const translated = {
    writeHead(status: number, headers: Record<string, string>) {
      isStream = headers['content-type'] === 'text/event-stream'
      response.writeHead(status, headers)
      return translated
    },
    flushHeaders: () => response.flushHeaders(),
    write: (text: string, written?: () => void) => response.write(translate(text), written),
    end: (text?: string) => response.end(text === undefined ? undefined : translate(text)),
    destroy: () => response.destroy(),
    on: (event: string, listener: () => void) => response.on(event, listener),
  }
  return translated as unknown as ServerResponse
}

/** Options of `startProxied`. */
export interface ProxiedOptions {
  readonly config?: Partial<LauncherConfig>
  readonly reply?: GatewayReply
  readonly env?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  /** False: the agent has no budget. */
  readonly money?: boolean
}

/** A launcher in this process with port 2996, a gateway and the routes for holds. */
export async function startProxied(t: Scope, options: ProxiedOptions = {}) {
  const money = await startMoneyServer(t)
  const gateway = await startGateway(t, options.reply ?? completes())
  const plugins = options.money === false ? {} : { budgets: { money: true } }
  const started = await startTestLauncher(t, {
    command: options.command,
    config: { name: 'robot', namespace: 'default', uid: 'uid-1', plugins, ...options.config },
    files: { MESH_STATE_TOKEN_FILE: 'state-token\n', MODEL_GATEWAY_TOKEN_FILE: 'gateway-token\n' },
    env: {
      MESH_BUDGET_PORT: '0',
      STATE_URL: money.url,
      MODEL_GATEWAY_URL: gateway.url,
      ...options.env,
    },
  })
  const port = started.open['budget']
  return { ...started, money, gateway, port: port ?? 0, url: `http://127.0.0.1:${port}` }
}

/** A chat completion with usage, or its stream if the request asks for one. */
export function completes(
  text = 'Hello there, agent.',
  usage = { prompt_tokens: 9, completion_tokens: 5 },
): GatewayReply {
  return (response, { body }) => {
    if (body['stream'] === true) {
      opens(response)
      for (const word of text.split(/(?<= )/)) response.write(frameOf({ content: word }))
      response.write(frameOf({}, 'stop'))
      response.write(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`)
      response.end('data: [DONE]\n\n')
      return
    }
    const message = { role: 'assistant', content: text }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    const bytes = JSON.stringify({ ...head, object: 'chat.completion', choices, usage })
    response.writeHead(200, { 'content-type': 'application/json', 'x-mesh-provider': 'default/mock' }).end(bytes)
  }
}

const head = { id: 'c1', created: 1, model: 'test-1', object: 'chat.completion.chunk' }

/** Begins a stream. */
export function opens(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-mesh-provider': 'default/mock' })
  response.flushHeaders()
}

/** One frame of a streamed chat completion. */
export function frameOf(delta: object, reason: string | null = null): string {
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
}
