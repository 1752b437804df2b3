import {
  count,
  integer,
  enumOf,
  list,
  number,
  object,
  opaque,
  optionalField,
  reply,
  string,
} from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

const metadata = reply({
  knowledgeBase: string(),
  title: string(),
  contentType: string(),
  url: optionalField(string()),
  page: optionalField(count),
  start: count,
  end: count,
  attributes: opaque<Readonly<Record<string, string>>>({ type: 'object', additionalProperties: { type: 'string' } }),
})

/** Searches a knowledge base of the agent, or all of them. `note`: why the search is full-text only. */
export const searchKnowledge = statePath({
  method: 'POST',
  path: '/knowledge/search',
  request: object({
    query: string({ minLength: 1, maxLength: 4_000 }),
    knowledgeBase: optionalField(string({ minLength: 1, maxLength: 253 })),
    limit: optionalField(integer(1, 50)),
  }),
  status: 200,
  response: reply({
    items: list(reply({ document: string(), chunk: count, text: string(), score: number(), metadata })),
    mode: enumOf('hybrid', 'full-text'),
    note: optionalField(string()),
  }),
})
