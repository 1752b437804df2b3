import { assembleResponse, parseResponse } from '#core/model-apis/assemble/response.ts'
import type { SpanMessage } from '#core/telemetry/span-content.ts'
import type { ModelResponseSink } from '../calls/model-call.ts'
import { readResponse } from './read-messages.ts'

/** Bytes of a response that are kept: events of a stream are about 30 times as large as their texts. */
const MOST_BYTES = 512 * 1024

/** A sink that keeps the beginning of a response. */
export interface ResponseTap {
  readonly sink: ModelResponseSink
  /** Messages of the response so far; undefined if there are none. */
  messages(): Promise<readonly SpanMessage[] | undefined>
}

/** Keeps the beginning of the response that `inner` receives. `operation` names the API of the response. */
export function tapResponse(inner: ModelResponseSink, operation: string): ResponseTap {
  const chunks: Buffer[] = []
  let size = 0
  let isStream = false
  return {
    sink: {
      head(status, headers) {
        isStream = headers['content-type'] === 'text/event-stream'
        inner.head(status, headers)
      },
      data(chunk) {
        // A copy: the connection reuses the memory of a chunk.
        if (size < MOST_BYTES) chunks.push(Buffer.from(chunk))
        size += chunk.length
        return inner.data(chunk)
      },
    },
    async messages() {
      const bytes = Buffer.concat(chunks)
      const response = isStream ? await assembleResponse(operation, bytes) : parseResponse(bytes)
      return response && readResponse(response)
    },
  }
}
