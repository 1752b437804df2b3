import { headerValues } from '../input/bearer-token.ts'

/** The cookies of the sessions of one server. */
export interface SessionCookies {
  /** Name of each part without its number. */
  readonly name: string
  /** The cookies are sent over TLS only, and their names begin with `__Host-`. */
  readonly isSecure: boolean
}

/** Most cookies of a session. */
export const MAX_PARTS = 3

// Browsers keep 4,096 bytes of name and value.
const PART_LENGTH = 3_900

/** Value of cookies that belong to no session. It cannot be opened. */
export const MALFORMED = 'malformed!'

/** Longest value that the cookies of a session hold. */
export const MAX_VALUE = MAX_PARTS * PART_LENGTH

/** Cookies for the public address of a server. Browsers share cookies among the ports of a host, so plain http on this machine names the port. */
export function cookiesFor(publicUrl: string | undefined): SessionCookies {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  if (url?.protocol !== 'http:') return { name: '__Host-mesh-session', isSecure: true }
  return { name: `mesh-session-${url.port === '' ? '80' : url.port}`, isSecure: false }
}

/** Reads the value of a session from its cookies; undefined without any. Parts that are missing, repeated or cut have the value `MALFORMED`. */
export function readCookies({ name }: SessionCookies, rawHeaders: readonly string[]): string | undefined {
  const given = headerValues(rawHeaders, 'cookie').flatMap((line) => line.split(';').map(toPair))
  const valuesOf = (part: number): readonly string[] =>
    given.flatMap(([key, value]) => (key === `${name}.${part}` ? [value] : []))
  const [first, ...more] = valuesOf(1)
  if (first === undefined) return undefined
  const [, count = '', start = ''] = /^([1-9])\.([A-Za-z0-9_-]+)$/.exec(first) ?? []
  const parts = Number(count)
  if (more.length > 0 || parts < 1 || parts > MAX_PARTS) return MALFORMED
  const others = Array.from({ length: parts - 1 }, (_, index) => valuesOf(index + 2))
  if (others.some((values) => values.length !== 1)) return MALFORMED
  return [start, ...others.flat()].join('')
}

/** `Set-Cookie` headers for a value and its seconds. Parts that an earlier, longer value had are removed. */
export function writeCookies({ name, isSecure }: SessionCookies, value: string, maxAge: number): readonly string[] {
  const count = Math.ceil(value.length / PART_LENGTH)
  return Array.from({ length: MAX_PARTS }, (_, index) => {
    const part = value.slice(index * PART_LENGTH, (index + 1) * PART_LENGTH)
    const content = index === 0 && count > 0 ? `${count}.${part}` : part
    const seconds = index < count ? Math.max(0, Math.floor(maxAge)) : 0
    return `${name}.${index + 1}=${content}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  })
}

/** `Set-Cookie` headers that remove the session from the browser. */
export function clearCookies(cookies: SessionCookies): readonly string[] {
  return writeCookies(cookies, '', 0)
}

function toPair(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  return at < 0 ? ['', text] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}
