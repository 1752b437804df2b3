import type { FastifyRequest } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import { isServedHost } from '#core/net/loopback-host.ts'
import { headerValues } from '../input/bearer-token.ts'

/** Header that scripts of this origin send with each write. A form cannot set it, and another origin may not. */
export const SESSION_HEADER = 'x-mesh-session'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Refuses a request with cookies that a page of another origin caused (D4). A write needs `Origin`, `Sec-Fetch-Site: same-origin` and the
 * header of the session; a read may be typed by a person. Throws `cross_site_request`.
 */
export function refuseForeign(request: FastifyRequest, publicUrl: string | undefined): void {
  const { rawHeaders, method = '' } = request.raw
  const site = headerValues(rawHeaders, 'sec-fetch-site')
  const origin = headerValues(rawHeaders, 'origin')
  if (origin.length > 0 && !isOwnOrigin(origin, rawHeaders, publicUrl))
    throw refuse('Origin is not that of this server')
  if (safeMethods.has(method)) {
    if (!site.every((one) => one === 'same-origin' || one === 'none'))
      throw refuse('Sec-Fetch-Site is neither same-origin nor none')
    return
  }
  if (origin.length === 0) throw refuse('Origin is missing')
  if (site.length !== 1 || site[0] !== 'same-origin') throw refuse('Sec-Fetch-Site is not same-origin')
  if (headerValues(rawHeaders, SESSION_HEADER).join() !== '1') throw refuse('X-Mesh-Session is not 1')
}

function refuse(why: string): Fail {
  return new Fail('cross_site_request', `The request is not one of a page of this server: ${why}.`)
}

// The name of the server is what the browser has asked, or the public one behind a proxy that changes Host. Without TLS it is this machine.
function isOwnOrigin(given: readonly string[], rawHeaders: readonly string[], publicUrl: string | undefined): boolean {
  const [origin = '', ...more] = given
  if (more.length > 0 || !URL.canParse(origin)) return false
  const { protocol, host, origin: parsed } = new URL(origin)
  if (parsed !== origin) return false
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true
  const [asked = '', ...others] = headerValues(rawHeaders, 'host')
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isServedHost(host))
  return (
    others.length === 0 && isSafe && host === asked.toLowerCase().replace(protocol === 'https:' ? /:443$/ : /:80$/, '')
  )
}
