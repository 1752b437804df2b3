import type { IncomingMessage } from 'node:http'
import { Refusal } from '../contract/http/refusal.ts'
import { http2StreamOf } from './transport.ts'
import { valuesOf } from '../contract/http/headers.ts'

/** Limits of a listener. */
export interface GuardOptions {
  /** Port of the listener. */
  readonly port: number
  /** Host names in addition to loopback: names of the Service and address of the pod, for listeners on the pod address only. */
  readonly hosts?: readonly string[] | undefined
  /** Media types of bodies (`application/json`). */
  readonly mediaTypes?: readonly string[] | undefined
  /** Maximum size of a body in bytes. */
  readonly bodyLimit: number
}

const maxHeaders = 64
const loopback = ['localhost', '127.0.0.1', '[::1]']

/**
 * Guards every listener of the pod (H1) against pages in a browser on the same machine and names rebound to loopback. Throws
 * `Refusal`. The size of a body without Content-Length is checked while it is read.
 */
export function guard(request: IncomingMessage, options: GuardOptions): void {
  if (request.rawHeaders.length / 2 > maxHeaders) throw new Refusal('header_fields_too_large')
  checkHost(request, options)
  checkOrigin(request, options)
  if (request.headers['sec-fetch-site'] === 'cross-site') throw new Refusal('origin_refused')
  if (!hasBody(request)) return
  checkMediaType(request.headers['content-type'], options.mediaTypes ?? ['application/json'])
  if (Number(request.headers['content-length'] ?? 0) > options.bodyLimit) throw new Refusal('payload_too_large')
}

// The listener itself serves no page, so a request with its own origin comes from a client that names its target (MCP, DNS rebinding).
function checkOrigin({ headers: { origin } }: IncomingMessage, { port }: GuardOptions): void {
  if (origin === undefined || loopback.some((name) => origin === `http://${name}:${port}`)) return
  throw new Refusal('origin_refused')
}

function checkHost(request: IncomingMessage, options: GuardOptions): void {
  // HTTP/2 has `:authority`, which is not a valid field name in HTTP/1.1.
  const values = [...valuesOf(request, ':authority'), ...valuesOf(request, 'host')]
  if (values.length !== 1) throw new Refusal('malformed_request', 'exactly one Host is required')
  const host = (values[0] ?? '').toLowerCase()
  const local = loopback.some((name) => host === `${name}:${options.port}` || (options.port === 80 && host === name))
  if (local) return
  // A Service may map another port: its names are accepted with the listener's port or without one.
  const named = (options.hosts ?? []).some((name) => host === name || host === `${name}:${options.port}`)
  if (!named) throw new Refusal('misdirected_request')
}

function hasBody(request: IncomingMessage): boolean {
  const stream = http2StreamOf(request)
  if (stream !== undefined) return !stream.endAfterHeaders
  if (request.headers['transfer-encoding'] !== undefined) return true
  return Number(request.headers['content-length'] ?? 0) > 0
}

function checkMediaType(sent: string | undefined, allowed: readonly string[]): void {
  const type = sent?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!allowed.includes(type)) throw new Refusal('unsupported_media_type')
}
