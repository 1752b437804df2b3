const VARIABLE = 'OTEL_EXPORTER_OTLP_HEADERS'
const MAX_LENGTH = 8192

// Set by the exporter and its HTTP client.
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

// RFC 9110: a token, and a field value of visible ASCII with inner spaces and tabs.
const token = /^[\w!#$%&'*+.^`|~-]+$/
const fieldValue = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Parses `OTEL_EXPORTER_OTLP_HEADERS` (OpenTelemetry, protocol exporter): `name=value` pairs, separated by commas and percent-encoded,
 * as in W3C Baggage without properties. Throws an error that names the variable and the pair, never a value: headers are credentials.
 */
export function parseOtlpHeaders(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined || text.trim() === '') return {}
  if (text.length > MAX_LENGTH) throw new Error(`${VARIABLE}: is longer than ${MAX_LENGTH} characters`)
  const headers = new Map<string, string>()
  for (const [index, pair] of text.split(',').entries()) {
    if (pair.trim() === '') continue
    const [name, value] = parsePair(pair, index + 1)
    if (headers.has(name)) throw wrong(index + 1, 'repeats the name of an earlier one')
    headers.set(name, value)
  }
  return Object.fromEntries(headers)
}

function parsePair(pair: string, number: number): readonly [name: string, value: string] {
  const at = pair.indexOf('=')
  if (at < 0) throw wrong(number, 'has no "="')
  const name = decode(pair.slice(0, at), number).toLowerCase()
  const value = decode(pair.slice(at + 1), number)
  if (!token.test(name)) throw wrong(number, 'has a name that is not a valid HTTP header name')
  if (reserved.has(name)) throw wrong(number, `sets ${name}, which the exporter sets itself`)
  if (!fieldValue.test(value))
    throw wrong(number, 'has an empty value, or one with characters that a header cannot have')
  return [name, value]
}

function decode(text: string, number: number): string {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    throw wrong(number, 'is not percent-encoded UTF-8')
  }
}

function wrong(number: number, problem: string): Error {
  return new Error(`${VARIABLE}: pair ${number} ${problem}; expected name=value,name=value with percent-encoded values`)
}
