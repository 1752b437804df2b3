import { toCallEnd } from '#launcher/contract/calls/call-end.ts'
import type { ModelResponseSink, CallContext, ModelCalls } from '#launcher/contract/calls/model-call.ts'
import type { ModelOperation, ModelRequest } from '#launcher/contract/calls/model-request.ts'
import type { CallEnd, OpenCall, Recorder } from '#launcher/contract/calls/recorder.ts'

/** Records the model calls of `inner`: of port 2996 and of the built-in loop. */
export function recordModelCalls(inner: ModelCalls, recorder: Pick<Recorder, 'begin'>): ModelCalls {
  return {
    ...inner,
    async call(request, context, sink) {
      // A token count is not a response of a model.
      const { operation } = request
      if (operation === 'messages/count_tokens') return inner.call(request, context, sink)
      const open = recorder.begin(toStarted({ ...request, operation }, context))
      if (open === undefined) return inner.call(request, context, sink)
      const tap = createTap(open, sink)
      try {
        const result = await inner.call(request, context, tap.sink)
        open.end(tap.end())
        return result
      } catch (error) {
        open.end(toCallEnd(error, context.signal))
        throw error
      }
    },
  }
}

type Recorded = ModelRequest & { readonly operation: Exclude<ModelOperation, 'messages/count_tokens'> }

function toStarted({ operation, body, source }: Recorded, context: CallContext) {
  const { runId, traceparent, parentSpanId } = context
  const call = { channel: 'model', request: { operation, body } } as const
  return { runId, call, requestBytes: source.bytes.length, traceparent, parentSpanId }
}

function createTap(open: OpenCall, sink: ModelResponseSink) {
  const chunks: Buffer[] = []
  let stream = false
  return {
    sink: {
      head(status, headers) {
        stream = headers['content-type'] === 'text/event-stream'
        sink.head(status, headers)
      },
      data(chunk) {
        // A copy: the connection reuses the memory of a chunk.
        if (open.reserve(chunk.length)) chunks.push(Buffer.from(chunk))
        else chunks.length = 0
        return sink.data(chunk)
      },
    } satisfies ModelResponseSink,
    end: (): CallEnd => ({ kind: 'bytes', bytes: Buffer.concat(chunks), stream }),
  }
}
