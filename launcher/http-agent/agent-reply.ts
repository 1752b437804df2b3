import { isObject } from '#core/json/is-object.ts'
import type { InvokeResult } from '#schemas/runs/run.ts'
import { createSseParser } from '#core/sse/parser.ts'
import type { ResponseHeaders } from '#core/http-client/request.ts'
import { JsonRefused, parseBoundedJson } from '../contract/http/bounded-json.ts'
import { createAgentEvents } from './agent-events.ts'
import { pause, toInterrupt, toUsage } from '../runs/outcome.ts'
import { failed } from '../runs/run-context.ts'
import type { RunContext } from '../runs/run-context.ts'

/** Incremental reader of the response of an agent's `/invoke`. */
export interface AgentReply {
  head(status: number, headers: ResponseHeaders): void
  /** A returned promise pauses the response until the readers of the run have caught up. */
  data(chunk: Buffer): void | Promise<void>
  end(): InvokeResult
  /** Finishes open messages after an incomplete response. */
  cut(): void
}

const maxBody = 16 * 1024 * 1024

/**
 * `application/json`: `{output, usage?}`, or `{interrupts, checkpoint?}` to pause the run; any other JSON is the output.
 * `text/event-stream`: see `agent-events.ts`. Other types: the text is the output. A status that is not 2xx is `agent_error`.
 */
export function createReply(context: RunContext): AgentReply {
  const chunks: Buffer[] = []
  const events = createAgentEvents(context)
  const parser = createSseParser(events.take)
  let size = 0
  let status = 0
  let type = ''
  return {
    head(code, headers) {
      status = code
      type =
        String(headers['content-type'] ?? '')
          .split(';', 1)[0]
          ?.trim()
          .toLowerCase() ?? ''
    },
    data(chunk) {
      if (isSuccess(status) && type === 'text/event-stream') {
        parser.push(chunk)
        return context.pressure()
      }
      size += chunk.length
      if (size > maxBody) throw new Error(`its response exceeds ${maxBody} bytes`)
      // Copied: undici reuses the buffers of chunks.
      chunks.push(Buffer.from(chunk))
      context.hold(chunk.length)
      return undefined
    },
    cut: events.cut,
    end() {
      const text = Buffer.concat(chunks).toString('utf8')
      if (!isSuccess(status))
        return failed('agent_error', `the agent responded with ${status}${reasonIn(text)}`, context.usage())
      if (type === 'text/event-stream') return events.end()
      if (type === 'application/json') return fromJson(context, text)
      return { state: 'succeeded', output: text, usage: context.usage() }
    },
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function reasonIn(text: string): string {
  let reason: unknown = text
  try {
    const body = parseBoundedJson(text)
    if (isObject(body)) reason = isObject(body.error) ? body.error.message : (body.message ?? body.detail ?? body.error)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    // Not JSON: the text is the reason.
  }
  return typeof reason === 'string' && reason !== '' ? `: ${reason.slice(0, 1000)}` : ''
}

function fromJson(context: RunContext, text: string): InvokeResult {
  let body: unknown
  try {
    body = parseBoundedJson(text)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    return failed('agent_error', `the agent responded with application/json that ${error.message}`, context.usage())
  }
  if (!isObject(body)) return { state: 'succeeded', output: body, usage: context.usage() }
  if (body.usage !== undefined) context.report(toUsage(body.usage), {})
  if (Array.isArray(body.interrupts) && body.interrupts.length > 0)
    return pause(context, body.interrupts.map(toInterrupt), body.checkpoint)
  return { state: 'succeeded', output: 'output' in body ? body.output : body, usage: context.usage() }
}
