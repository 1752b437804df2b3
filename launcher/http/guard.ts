import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** What a listener lets in. */
export interface GuardOptions {
  /** Port on which it listens. */
  readonly port: number
  /** Host names beside loopback: the Service's names and the pod address, on the pod's own listeners only. */
  readonly hosts?: readonly string[]
  readonly mediaTypes?: readonly string[]
  /** Most bytes of a body. */
  readonly bodyLimit: number
}

const maxHeaders = 64
const loopback = ['localhost', '127.0.0.1', '[::1]']

/**
 * The one guard of every listener of the pod (H1): a page in a browser on this machine, or a name that was rebound to
 * loopback, must not reach it. Throws `Refusal`; the length of a body without Content-Length is checked while reading.
 */
export function guard(request: IncomingMessage, options: GuardOptions): void {
  if (request.rawHeaders.length / 2 > maxHeaders) throw new Refusal('header_fields_too_large')
  checkHost(request, options)
  if (request.headers.origin !== undefined) throw new Refusal('origin_refused')
  if (request.headers['sec-fetch-site'] === 'cross-site') throw new Refusal('origin_refused')
  if (!hasBody(request)) return
  checkMediaType(request.headers['content-type'], options.mediaTypes ?? ['application/json'])
  if (Number(request.headers['content-length'] ?? 0) > options.bodyLimit) throw new Refusal('payload_too_large')
}

function checkHost(request: IncomingMessage, options: GuardOptions): void {
  const values = valuesOf(request, 'host')
  if (values.length !== 1) throw new Refusal('malformed_request', 'exactly one Host is required')
  const host = (values[0] ?? '').toLowerCase()
  const local = loopback.some((name) => host === `${name}:${options.port}` || (options.port === 80 && host === name))
  if (local) return
  // A Service may map another port, so its names are served with the listener's port or none.
  const named = (options.hosts ?? []).some((name) => host === name || host === `${name}:${options.port}`)
  if (!named) throw new Refusal('misdirected_request')
}

/** Every value of a header as it was sent: Node keeps the first of some duplicates and joins others. */
export function valuesOf(request: IncomingMessage, name: string): string[] {
  return request.rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name)
}

/** The one value of a header, or undefined; throws `Refusal` when it was sent twice. */
export function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const values = valuesOf(request, name)
  if (values.length > 1) throw new Refusal('malformed_request', `${name} was sent more than once`)
  return values[0]
}

function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true
  return Number(request.headers['content-length'] ?? 0) > 0
}

function checkMediaType(sent: string | undefined, allowed: readonly string[]): void {
  const type = sent?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!allowed.includes(type)) throw new Refusal('unsupported_media_type')
}
