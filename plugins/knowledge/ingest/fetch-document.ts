import { OutboundError } from '#core/http-client/outbound-error.ts'
import type { OutboundReason } from '#core/http-client/outbound-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { fetchedType } from '../documents/formats.ts'
import { IngestFailure } from '../documents/parsed-document.ts'

/** A document as uploaded or fetched. */
export interface RawDocument {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Limits of fetching. */
export interface FetchLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const refused: ReadonlySet<OutboundReason> = new Set([
  'address_refused',
  'https_required',
  'invalid_url',
  'redirect_refused',
])

/** Fetches a document by guarded calls (M-2). Of a response, only the document is kept. Throws `IngestFailure`. */
export async function fetchDocument(
  outbound: Pick<Outbound, 'request'>,
  url: string,
  { maxBytes, timeoutMs, signal }: FetchLimits,
): Promise<RawDocument> {
  const headers = { accept: 'text/html, text/markdown, text/plain, application/pdf, text/csv', 'user-agent': 'mesh' }
  const answer = await outbound
    .request({ url, headers, signal, deadlineMs: timeoutMs, maxBytes, redirects: 3 })
    .catch((error: unknown) => {
      throw error instanceof OutboundError ? toFailure(error) : error
    })
  const { status, body } = answer
  if (status !== 200) throw new IngestFailure('fetch_failed', status === 429 || status >= 500)
  const type = answer.headers['content-type']
  return { contentType: fetchedType(typeof type === 'string' ? type : undefined, url), bytes: body }
}

function toFailure({ reason }: OutboundError): IngestFailure {
  if (refused.has(reason)) return new IngestFailure('fetch_refused')
  if (reason === 'too_large') return new IngestFailure('too_large')
  return new IngestFailure('fetch_failed', true)
}
