import type { OutgoingToolCall, ToolBackend } from './backend.ts'
import type { Recorder } from '#launcher/contract/calls/recorder.ts'
import { toCallEnd } from '#launcher/contract/calls/call-end.ts'

/** Records the tool calls of `inner`: of port 2999 and of the built-in loop. */
export function recordToolCalls(inner: ToolBackend, recorder: Recorder): ToolBackend {
  return {
    ...inner,
    async send(call) {
      const open = recorder.begin(toStarted(call))
      if (open === undefined) return inner.send(call)
      try {
        const body = await inner.send(call)
        const size = Buffer.byteLength(JSON.stringify(body))
        if (open.reserve(size)) open.end({ kind: 'value', body, size })
        else open.end({ kind: 'value', body: null, size })
        return body
      } catch (error) {
        open.end(toCallEnd(error, call.signal))
        throw error
      }
    },
  }
}

function toStarted({ tool: { server, name, tool }, args, runId, traceparent, parentSpanId }: OutgoingToolCall) {
  const call = { channel: 'tool', request: { server, name, tool, arguments: { ...args } } } as const
  return { runId, call, requestBytes: Buffer.byteLength(JSON.stringify(args)), traceparent, parentSpanId }
}
