import { Fail } from '#core/errors/domain-error.ts'

// RFC 6750 b64token. Real tokens are below 8 KiB; the header limit of the server is 16 KiB.
const bearerPattern = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/**
 * Returns the bearer of a request, read from `rawHeaders`, since Node keeps only the first of two Authorization headers (M14). Throws
 * `unauthenticated` if it is missing, empty, malformed or duplicated, or if the query string contains a token (D5).
 */
export function readBearer(rawHeaders: readonly string[], url: string): string {
  const given = headerValues(rawHeaders, 'authorization')
  const token = given.length === 1 ? bearerPattern.exec(given[0] ?? '')?.[1] : undefined
  if (token === undefined || hasTokenInQuery(url)) throw new Fail('unauthenticated')
  return token
}

const keyPattern = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Returns the token of a request whose callers may send it in `x-api-key`, as SDKs of Anthropic do, instead of as bearer. Throws
 * `unauthenticated` for both at once, unless they are the same: the caller would be ambiguous.
 */
export function readBearerOrKey(rawHeaders: readonly string[], url: string): string {
  const [key, ...more] = headerValues(rawHeaders, 'x-api-key')
  if (key === undefined) return readBearer(rawHeaders, url)
  const isAlone = headerValues(rawHeaders, 'authorization').length === 0
  if (more.length > 0 || !keyPattern.test(key) || hasTokenInQuery(url)) throw new Fail('unauthenticated')
  if (!isAlone && readBearer(rawHeaders, url) !== key) throw new Fail('unauthenticated')
  return key
}

/** Throws `unauthenticated` for a token in the query string, which is logged by proxies (D5). */
export function refuseTokenInQuery(url: string): void {
  if (hasTokenInQuery(url)) throw new Fail('unauthenticated')
}

/** Whether a text can be sent as a bearer token. */
export function isBearerText(text: string): boolean {
  return keyPattern.test(text)
}

/** Returns every value of a header as sent. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}

const tokenNames = new Set([
  'access_token',
  'access-token',
  'api_key',
  'apikey',
  'auth',
  'authorization',
  'bearer',
  'id_token',
  'jwt',
  'refresh_token',
  'token',
])

function hasTokenInQuery(url: string): boolean {
  const start = url.search(/[?#]/)
  if (start < 0) return false
  return url
    .slice(start + 1)
    .split('&')
    .some((pair) => tokenNames.has(decodeLoosely(pair.split('=', 1)[0] ?? '').toLowerCase()))
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).trim()
  } catch {
    return text
  }
}

// Another party could read a second value instead of the first, so duplicates are refused (M14).
const singleHeaders = new Set([
  'host',
  'content-type',
  'idempotency-key',
  'if-match',
  'last-event-id',
  'x-amp-envelope',
])

/** Refuses duplicates of headers that must be single. */
export function refuseDuplicateHeaders(rawHeaders: readonly string[]): void {
  const seen: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seen.includes(name)) throw new Fail('malformed_request', `The header ${name} is given more than once.`)
    seen.push(name)
  }
}
