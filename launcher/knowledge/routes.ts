import type { RouteContract } from '../contract/http/port.ts'
import { Refusal } from '../contract/http/refusal.ts'
import { anyObject, count, list, object, oneOf, optional, text } from '../contract/http/schema.ts'
import type { Schema } from '../contract/http/schema.ts'

const MAX_QUERY = 4_000
const MAX_FOUND = 50

const between = (most: number) =>
  text({ minLength: 1, maxLength: most }, (value) =>
    value.length >= 1 && value.length <= most ? undefined : `must have 1 to ${most} characters`,
  )
const limit: Schema<number> = {
  json: { type: 'integer', minimum: 1, maximum: MAX_FOUND, default: 8 },
  parse(value, at) {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_FOUND) return value
    throw new Refusal('malformed_request', `${at}: must be an integer from 1 to ${MAX_FOUND}`)
  },
}
const score: Schema<number> = {
  json: { type: 'number', description: 'in (0, 1]' },
  parse: () => {
    throw new TypeError('a score is no request')
  },
}
const item = object({ document: text(), chunk: count, text: text(), score, metadata: anyObject })

/** Routes of knowledge on port 2998. */
export const knowledgeRoutes = {
  searchKnowledge: {
    method: 'POST',
    path: '/knowledge/search',
    summary: 'Searches the knowledge bases of the agent, or one of them, by words and by meaning.',
    body: object({ query: between(MAX_QUERY), knowledgeBase: optional(between(253)), limit: optional(limit) }),
    responses: { 200: object({ items: list(item), mode: oneOf('hybrid', 'full-text'), note: optional(text()) }) },
    refusals: ['unknown_run', 'not_bound', 'unknown_knowledge_base', 'too_many_memory_calls', 'memory_unavailable'],
  },
} as const satisfies Record<string, RouteContract>
