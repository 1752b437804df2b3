import type { IncomingMessage } from 'node:http'

/** Where a request goes: the path with its query, and the authority that the client named. */
export interface RequestTarget {
  readonly path: string
  /** Empty when there is none, as in HTTP/1.0. */
  readonly authority: string
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is

/** Splits the request target. In absolute form (RFC 9112, 3.2.2) the authority of the target wins over `Host`. */
export function requestTarget({ url = '/', headers }: IncomingMessage): RequestTarget {
  const absolute = ABSOLUTE.exec(url)
  if (!absolute) return { path: url, authority: headers.host ?? '' }
  const [, authority = '', rest = ''] = absolute
  return { path: rest.startsWith('/') ? rest : `/${rest}`, authority }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/** True for an authority that a page under a rebound DNS name cannot have (SEC13). */
export const isLoopbackAuthority = (authority: string): boolean => LOOPBACK.test(authority)
