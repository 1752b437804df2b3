import type { IncomingMessage } from 'node:http'
import { Refusal } from '#launcher/contract/http/refusal.ts'

/** Headers by name in lowercase, with each value that was sent. */
export type CallerHeaders = Readonly<Record<string, string[]>>

// The gateway reads no more than 16 KiB of headers, its own included.
const maxBytes = 8 * 1024
// Those of the platform, of credentials, of proxies and meshes, and of SDKs about themselves.
const reserved = /^x-(?:api-key$|conversation-id$|(?:mesh|forwarded|envoy|b3|stainless)-)/

/**
 * The headers of a caller that its route may pass on (`passHeaders`): those that begin with `x-`, apart from those of the connection. The gateway
 * passes the ones that the route names, and refuses ambiguous values. Throws `Refusal` if they are too large.
 */
export function readCallerHeaders({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): CallerHeaders {
  const ofConnection = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const passed: Record<string, string[]> = {}
  let bytes = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [given = '', value = ''] = rawHeaders.slice(at, at + 2)
    const name = given.toLowerCase()
    if (!name.startsWith('x-') || reserved.test(name) || ofConnection.includes(name)) continue
    bytes += name.length + value.length
    if (bytes > maxBytes) throw new Refusal('header_fields_too_large')
    passed[name] = [...(passed[name] ?? []), value]
  }
  return passed
}
