import type { IncomingMessage } from 'node:http'
import { isObject } from '#core/json/is-object.ts'
import { valuesOf } from '#launcher/contract/http/headers.ts'
import { decodeHeaderValue } from './header-value.ts'

type Fields = Readonly<Record<string, unknown>>
type Headers = Pick<IncomingMessage, 'rawHeaders' | 'headers'>

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/

/**
 * Returns the name of a header that contradicts the arguments, or undefined. The schema of a tool declares such headers (`x-mcp-header`, MCP
 * 2026-07-28, custom headers). Each such argument must have its header with the same value, unless it is absent or null.
 */
export function findOtherHeader(request: Headers, schema: Fields, args: Fields): string | undefined {
  const { properties } = schema
  if (!isObject(properties)) return undefined
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!isObject(property)) continue
    const other = isObject(value) ? findOtherHeader(request, property, value) : ofValue(request, property, value)
    if (other !== undefined) return other
  }
  return undefined
}

function ofValue(request: Headers, { 'x-mcp-header': named, type }: Fields, value: unknown): string | undefined {
  if (typeof named !== 'string' || !TOKEN.test(named)) return undefined
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const values = valuesOf(request, `mcp-param-${named.toLowerCase()}`)
  const sent = values.length === 1 ? decodeHeaderValue(values[0] ?? '') : undefined
  const isEqual = sent === String(value) || (type === 'integer' && isNumber(sent, value))
  return isEqual ? undefined : `Mcp-Param-${named}`
}

// 42.0 equals 42.
function isNumber(sent: string | undefined, value: unknown): boolean {
  return sent !== undefined && /^-?\d{1,32}(?:\.\d{1,32})?$/.test(sent) && Number(sent) === value
}
