import type { ClientResponse } from '../../gateway/response/client-response.ts'
import type { CallFilters } from '../call-filters.ts'
import type { ResponseReader } from './response-reader.ts'
import { createPlainFilter } from './plain-filter.ts'
import { createStreamFilter } from './stream-filter.ts'

/** The client's side of a response that passes filters. */
export interface FilteredResponse extends Pick<ClientResponse, 'head' | 'data' | 'committed' | 'breakOff'> {
  /** Releases the rest of a complete response. Throws `GatewayError`. */
  end(): Promise<void>
  /** Why the filters ended the response; undefined if they did not. */
  readonly failure: () => unknown
}

/** Options of a filtered response. */
export interface FilteredResponseOptions {
  readonly filters: CallFilters
  /** Maximum number of characters that are held back. */
  readonly limit: number
  /** Called once, when a filter or a limit ends the response. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * Passes a response through the filters of its call to the client. Nothing is written before the filters release the first content, so a refusal can
 * still set the HTTP status. Chunks are handled sequentially, even if an adapter does not wait.
 */
export function filterResponse(client: ClientResponse, options: FilteredResponseOptions): FilteredResponse {
  const { filters, limit } = options
  let head: { readonly status: number; readonly contentType: string } | undefined
  let reader: ResponseReader | undefined
  let failure: { readonly error: unknown } | undefined
  let tail: Promise<void> = Promise.resolve()
  const fail = (error: unknown): never => {
    if (failure === undefined) options.onFailure?.(error)
    failure ??= { error }
    throw failure.error
  }
  const write = async (bytes: Buffer): Promise<void> => {
    if (bytes.length === 0 || failure !== undefined) return
    if (!client.committed() && head !== undefined) client.head(head.status, head.contentType, undefined)
    await client.data(bytes)
  }
  const inOrder = (work: () => Promise<Buffer | undefined>): Promise<void> => {
    const done = tail.then(async () => write((await work()) ?? Buffer.alloc(0))).catch(fail)
    // The error is kept as `failure`; not every adapter handles the promise.
    done.catch(() => undefined)
    tail = done
    return done
  }
  return {
    committed: client.committed,
    breakOff: client.breakOff,
    failure: () => failure?.error,
    head(status, contentType) {
      head = { status, contentType }
      const isStream = contentType.startsWith('text/event-stream')
      reader = isStream ? createStreamFilter(filters, limit) : createPlainFilter(filters, limit)
    },
    data(chunk) {
      try {
        if (failure === undefined) reader?.push(chunk)
      } catch (error) {
        return inOrder(() => Promise.reject(error as Error))
      }
      return inOrder(async () => reader?.take())
    },
    async end() {
      await inOrder(async () => reader?.end())
      client.end()
    },
  }
}
