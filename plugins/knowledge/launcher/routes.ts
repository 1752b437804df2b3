import type { RouteContract } from '#launcher/contract/http/port.ts'
import { anyObject, integer, count, list, object, enumOf, optionalField, string } from '#schemas/wire/schema.ts'
import type { Schema } from '#schemas/wire/schema.ts'

const MAX_QUERY = 4_000
const MAX_FOUND = 50

const between = (most: number) =>
  string({ minLength: 1, maxLength: most }, (value) =>
    value.length >= 1 && value.length <= most ? undefined : `must have 1 to ${most} characters`,
  )
const limit = integer(1, MAX_FOUND, { default: 8 })
const score: Schema<number> = {
  json: { type: 'number', description: 'in (0, 1]' },
  parse: () => {
    throw new TypeError('a score is not a request')
  },
}
const item = object({ document: string(), chunk: count, text: string(), score, metadata: anyObject })

/** Routes of knowledge on port 2998. */
export const searchRoutes = {
  searchKnowledge: {
    method: 'POST',
    path: '/knowledge/search',
    summary: 'Searches the knowledge bases of the agent, or one of them, by words and by meaning.',
    body: object({
      query: between(MAX_QUERY),
      knowledgeBase: optionalField(between(253)),
      limit: optionalField(limit),
    }),
    responses: {
      200: object({ items: list(item), mode: enumOf('hybrid', 'full-text'), note: optionalField(string()) }),
    },
    refusals: ['unknown_run', 'not_bound', 'unknown_knowledge_base', 'too_many_memory_calls', 'memory_unavailable'],
  },
} as const satisfies Record<string, RouteContract>
