import type { ResponseSink } from '../../contract/adapter.ts'
import type { ErrorResponse } from '../errors/provider-failure.ts'

/** The response of one attempt, before and after it reaches the client. */
export interface AttemptResponse {
  readonly sink: ResponseSink
  /** Bytes were passed to the client. */
  committed(): boolean
  /** The body of a successful response is no JSON object. */
  isUnreadable(): boolean
  refused(): Omit<ErrorResponse, 'hasKey'> | undefined
}

const maxErrorBytes = 64 * 1024
const brace = 0x7b

/** Passes a successful response to the client. The head of a document waits for its first byte, so that a page of HTML is not taken for one. */
export function createAttemptSink(client: ResponseSink, onBegin: () => void): AttemptResponse {
  let refusal: { readonly status: number; readonly retryAfter: string | undefined } | undefined
  let head: (() => void) | undefined
  let committed = false
  let isUnreadable = false
  const errorBody: Buffer[] = []
  let size = 0
  const commit = (pass: () => void): void => {
    committed = true
    head = undefined
    onBegin()
    pass()
  }
  return {
    sink: {
      head(status, contentType, retryAfter) {
        if (status < 200 || status > 299) {
          refusal = { status, retryAfter }
          return
        }
        const pass = (): void => client.head(status, contentType, undefined)
        if (contentType.startsWith('text/event-stream')) commit(pass)
        else head = pass
      },
      data(chunk) {
        if (committed) return client.data(chunk)
        if (head !== undefined) {
          const first = chunk.find(isNoSpace)
          if (first === undefined) return undefined
          isUnreadable = first !== brace
          if (isUnreadable) throw new Error('no JSON object')
          commit(head)
          return client.data(chunk)
        }
        size += chunk.length
        if (size <= maxErrorBytes) errorBody.push(Buffer.from(chunk))
        return undefined
      },
    },
    committed: () => committed,
    isUnreadable: () => isUnreadable,
    refused: () => refusal && { ...refusal, body: Buffer.concat(errorBody) },
  }
}

// White space of JSON.
function isNoSpace(byte: number): boolean {
  return byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09
}
