import { durationBounds, durationProblem } from '#schemas/values/duration.ts'
import { definePort } from '#launcher/contract/http/port.ts'
import type { RouteContract } from '#launcher/contract/http/port.ts'
import {
  anyObject,
  integer,
  anyValue,
  count,
  list,
  object,
  enumOf,
  optionalField,
  string,
} from '#schemas/wire/schema.ts'
import type { Schema } from '#schemas/wire/schema.ts'

/** Maximum size of the body of an append, and of every other request. */
const BODY_LIMIT = 256 * 1024
const MAX_TEXT = 32 * 1024
const MAX_QUERY = 4_000
const MAX_FOUND = 50

const bounded = (maxLength: number) =>
  string({ minLength: 1, maxLength }, (value) =>
    value.length >= 1 && value.length <= maxLength ? undefined : `must have 1 to ${maxLength} characters`,
  )
const ttl = string({ description: 'duration, at most that of the spec' }, (value) =>
  durationProblem(value, durationBounds.retention),
)
const metadata: Schema<Readonly<Record<string, unknown>>> = {
  ...anyObject,
  json: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] }, maxProperties: 32 },
}
const limit = integer(1, MAX_FOUND, { default: 10 })

/** A list of JSON values, as the bytes that the state role sent. */
const entries: Schema<Buffer> = {
  json: { type: 'array', items: {} },
  parse: () => {
    throw new TypeError('entries are no request')
  },
}

const item = object({ id: string(), text: string(), metadata, score: anyValue, createdAt: string() })

/** Routes of memory. */
export const memoryRoutes = {
  health: {
    method: 'GET',
    path: '/healthz',
    summary: 'Liveness: the port is open. The backend is not probed.',
    responses: { 200: object({ status: enumOf('ok') }) },
  },
  remember: {
    method: 'POST',
    path: '/memory/agent/remember',
    summary: 'Stores an item of long-term memory.',
    body: object({ text: bounded(MAX_TEXT), metadata: optionalField(metadata), ttl: optionalField(ttl) }),
    responses: { 201: object({ id: string() }) },
    refusals: ['unknown_run', 'not_bound', 'memory_quota_exceeded', 'too_many_memory_calls', 'memory_unavailable'],
  },
  recall: {
    method: 'POST',
    path: '/memory/agent/search',
    summary: 'Searches long-term memory, by words and by meaning if the spec has an embedding route.',
    body: object({ query: bounded(MAX_QUERY), limit: optionalField(limit), filter: optionalField(metadata) }),
    responses: { 200: object({ items: list(item), note: optionalField(string()) }) },
    refusals: ['unknown_run', 'not_bound', 'too_many_memory_calls', 'memory_unavailable'],
  },
  read: {
    method: 'GET',
    path: '/memory/:conversationId',
    summary: 'Returns the entries of a conversation, in order.',
    responses: { 200: entries },
    refusals: ['unknown_run', 'not_bound', 'too_many_memory_calls', 'memory_unavailable'],
  },
  append: {
    method: 'POST',
    path: '/memory/:conversationId/append',
    summary: 'Appends one JSON value to a conversation.',
    body: anyValue,
    responses: { 201: object({ length: count }) },
    refusals: [
      'unknown_run',
      'not_bound',
      'conversation_full',
      'memory_quota_exceeded',
      'too_many_memory_calls',
      'memory_unavailable',
    ],
  },
  find: {
    method: 'GET',
    path: '/memory/:conversationId/search',
    summary: 'Returns the entries of a conversation whose canonical JSON contains the string `q`.',
    responses: { 200: entries },
    refusals: ['unknown_run', 'not_bound', 'too_many_memory_calls', 'memory_unavailable'],
  },
} as const satisfies Record<string, RouteContract>

/** Port 2998: memory of the agent. */
export const memoryPort = definePort({
  name: 'memory',
  bodyLimit: BODY_LIMIT,
  routes: memoryRoutes,
})
