import {
  anyOrAbsent,
  count,
  integer,
  list,
  number,
  object,
  opaque,
  optionalField,
  reply,
  string,
} from '#schemas/wire/schema.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

/** Maximum length of the text of an item. */
export const MAX_ITEM_TEXT = 32 * 1024

const value = { anyOf: [{ type: 'string', maxLength: 1_024 }, { type: 'number' }, { type: 'boolean' }] }
const metadata = opaque<Readonly<Record<string, string | number | boolean>>>({
  type: 'object',
  additionalProperties: value,
  maxProperties: 32,
})
// The bytes are passed through unparsed: a conversation may have several MiB.
const entries = opaque<readonly unknown[]>({ type: 'array', items: {} })
const appended = reply({ length: count })

/** Entries of a conversation, in order. */
export const conversationEntries = statePath({
  method: 'GET',
  path: '/memory/conversations/:conversation',
  status: 200,
  response: entries,
})

/** Appends any JSON value to a conversation. */
export const appendEntry = statePath({
  method: 'POST',
  path: '/memory/conversations/:conversation/entries',
  request: object({ entry: anyOrAbsent }),
  status: 201,
  response: appended,
})

/** Entries of a conversation whose canonical JSON contains the query `q`. */
export const findEntries = statePath({
  method: 'GET',
  path: '/memory/conversations/:conversation/search',
  status: 200,
  response: entries,
})

/** Turns of the conversation of the run in `X-Mesh-Run-Id`, in order. */
export const readTurns = statePath({ method: 'GET', path: '/memory/turns', status: 200, response: entries })

/** Adds a turn to the conversation of the run: the messages of the run, from its input to its response. */
export const appendTurn = statePath({
  method: 'POST',
  path: '/memory/turns',
  request: object({
    messages: opaque<readonly object[]>({
      type: 'array',
      items: {
        type: 'object',
        properties: { role: { type: 'string', maxLength: 32 } },
        required: ['role'],
        additionalProperties: true,
      },
      minItems: 1,
      maxItems: 10_000,
    }),
  }),
  status: 201,
  response: appended,
})

/** Stores an item in the long-term memory of the agent. `ttl` is a duration; the spec's applies if it is shorter. */
export const addItem = statePath({
  method: 'POST',
  path: '/memory/items',
  request: object({
    text: string({ minLength: 1, maxLength: MAX_ITEM_TEXT }),
    metadata: optionalField(metadata),
    ttl: optionalField(string({ maxLength: 64 })),
  }),
  status: 201,
  response: reply({ id: string() }),
})

/** See {@link addItem}. */
export type RememberRequest = Static<typeof addItem.request>

/** Searches long-term memory, best first. `note`: why the search is full-text only although the spec has an embedding route. */
export const findItems = statePath({
  method: 'POST',
  path: '/memory/items/search',
  request: object({
    query: string({ minLength: 1, maxLength: 4_000 }),
    limit: optionalField(integer(1, 50, { default: 10 })),
    filter: optionalField(metadata),
  }),
  status: 200,
  response: reply({
    items: list(
      reply({ id: string(), text: string(), metadata, score: number(), createdAt: string({ format: 'date-time' }) }),
    ),
    note: optionalField(string()),
  }),
})

/** See {@link findItems}. */
export type ItemSearch = Static<typeof findItems.request>
