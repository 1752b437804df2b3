import type { IncomingMessage } from 'node:http'

/** Target of a request: the path with its query, and the authority. */
export interface RequestTarget {
  readonly path: string
  /** Empty if absent, as in HTTP/1.0. */
  readonly authority: string
}

const SCHEME = /^https?:\/\//i

/** Splits the request target. In absolute form (RFC 9112, 3.2.2) the authority of the target wins over `Host`. */
export function requestTarget({ url = '/', headers }: IncomingMessage): RequestTarget {
  const scheme = SCHEME.exec(url)?.[0]
  if (scheme === undefined) return { path: url, authority: headers.host ?? '' }
  const end = scheme.length + url.slice(scheme.length).search(/[/?#]|$/)
  const [authority, rest] = [url.slice(scheme.length, end), url.slice(end)]
  return { path: rest.startsWith('/') ? rest : `/${rest}`, authority }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/** True for a loopback address, which a page under a rebound DNS name cannot have (SEC13). */
export const isLoopbackAuthority = (authority: string): boolean => LOOPBACK.test(authority)

/** All values of a header, by its lower-case name: Node keeps only the first Authorization. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}
