import type { ServerResponse } from 'node:http'
import type { CallError, ErrorForm } from '#core/model-apis/error-forms.ts'
import type { ModelResponseSink } from '#launcher/contract/calls/model-call.ts'

/** Writes a provider response to the response of the caller with back-pressure: a slow caller slows down the provider instead of filling memory (F6). */
export function responseSink(response: ServerResponse): ModelResponseSink {
  return {
    head(status, headers) {
      response.writeHead(status, { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      if (headers['content-length'] === undefined) response.flushHeaders()
    },
    data(chunk) {
      if (chunk.length === 0 || response.destroyed || response.write(chunk)) return undefined
      return drained(response)
    },
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      response.off('drain', over)
      response.off('close', over)
      resolve()
    }
    response.on('drain', over)
    response.on('close', over)
  })
}

/** Writes an error as a response, or as the last event of a stream that has begun. */
export function writeError(response: ServerResponse, error: CallError, form: ErrorForm): void {
  if (response.headersSent) {
    if (!response.destroyed) response.end(form.frame(error))
    return
  }
  const body = Buffer.from(JSON.stringify(form.body(error)))
  response.writeHead(error.status, {
    ...error.headers,
    'content-type': 'application/json',
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}
