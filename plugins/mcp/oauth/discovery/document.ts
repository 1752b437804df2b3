import { Fail } from '#core/errors/domain-error.ts'
import { OutboundError, describeReason, outboundReason } from '#core/http-client/outbound-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { isObject } from '#core/json/is-object.ts'
import { mcpErrors } from '../../contract/errors.ts'

/** Guarded calls of the discovery; they end with the request of the caller. */
export interface Discovering {
  readonly outbound: Pick<Outbound, 'request' | 'check'>
  readonly signal: AbortSignal
}

/** A JSON document of a server, whose fields are unchecked. */
export type MetadataDocument = Readonly<Record<string, unknown>>

const MAX_BYTES = 256 * 1024

/** Reads a document of metadata. Undefined if the address has no document. Throws `authorization_server_unusable`. */
export async function readDocument(
  { outbound, signal }: Discovering,
  url: string,
): Promise<MetadataDocument | undefined> {
  const { host } = new URL(url)
  const request = { url, headers: { accept: 'application/json' }, maxBytes: MAX_BYTES, signal }
  const { status, body } = await outbound.request(request).catch((error: unknown) => {
    signal.throwIfAborted()
    throw unreachable(error, host)
  })
  if (status >= 400 && status < 500) return undefined
  const document = status === 200 ? parse(body) : undefined
  if (document === undefined) throw unusable(`${host} returns no JSON object as its metadata (HTTP ${status}).`)
  return document
}

/** The error of an authorization server; its texts are never part of it. */
export function unusable(detail: string): Fail {
  return new Fail(mcpErrors.authorization_server_unusable, detail)
}

/** The error of a failed call to a host. */
export function unreachable(error: unknown, host: string): Fail {
  return unusable(error instanceof OutboundError ? error.message : `${host}: ${describeReason(outboundReason(error))}`)
}

/** A string of a document, of at most 2,048 characters. */
export function stringOf(document: MetadataDocument, name: string): string | undefined {
  const value = document[name]
  return typeof value === 'string' && value.length <= 2_048 ? value : undefined
}

/** The strings of a list in a document, of which the first 100 count. */
export function stringsOf(document: MetadataDocument, name: string): readonly string[] | undefined {
  const value = document[name]
  if (!Array.isArray(value)) return undefined
  return value.slice(0, 100).filter((one): one is string => typeof one === 'string' && one.length <= 2_048)
}

function parse(body: Buffer): MetadataDocument | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
