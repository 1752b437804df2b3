import { isObject } from '#core/json/is-object.ts'
import { noTextFields } from '#core/model-apis/text-fields.ts'
import type { Operation } from '../adapter.ts'
import type { Body } from '../gateway/model-request.ts'
import type { ModelRequest, RequestText } from './model-filter.ts'

type MapText = (text: RequestText) => string

/** The view of a request for filters. */
export function createRequestView(operation: Operation, body: Body): ModelRequest {
  const isChat = operation === 'chat/completions'
  const field = isChat ? 'messages' : 'input'
  const mapTexts = (change: MapText): Body => ({ ...body, [field]: mapField(body, field, change) })
  return {
    body,
    messages: isChat ? objectsIn(body.messages) : [],
    tools: isChat ? objectsIn(body.tools) : [],
    texts() {
      const found: RequestText[] = []
      mapField(body, field, (one) => {
        found.push(one)
        return one.text
      })
      return found
    },
    mapTexts,
  }
}

function mapField(body: Body, field: string, change: MapText): unknown {
  const value = body[field]
  if (field === 'input' || !Array.isArray(value))
    return mapValue(value, { pointer: `/${field}`, role: undefined, change })
  return value.map((message: unknown, index) => {
    const role = isObject(message) && typeof message.role === 'string' ? message.role : undefined
    return mapValue(message, { pointer: `/${field}/${index}`, role, change })
  })
}

interface Place {
  readonly pointer: string
  readonly role: string | undefined
  readonly change: MapText
}

// Recursive: the depth of a body is limited when it is parsed.
function mapValue(value: unknown, place: Place): unknown {
  const { pointer, role, change } = place
  if (typeof value === 'string') return change({ pointer, role, text: value })
  if (typeof value !== 'object' || value === null) return value
  const inner = (key: string | number): Place => ({ ...place, pointer: `${pointer}/${escapeKey(key)}` })
  if (Array.isArray(value)) return value.map((one: unknown, index) => mapValue(one, inner(index)))
  const entries = Object.entries(value).map(([key, one]: [string, unknown]) => [
    key,
    noTextFields.has(key) && typeof one === 'string' ? one : mapValue(one, inner(key)),
  ])
  return Object.fromEntries(entries)
}

// RFC 6901.
function escapeKey(key: string | number): string {
  return typeof key === 'number' ? String(key) : key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
