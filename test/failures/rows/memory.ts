import { defineFailures } from './failure.ts'
import type { FailureRequest, FailureRow } from './failure.ts'
import { memoryPort } from '#plugins/memory/launcher/port.ts'

const unavailable = { status: 502, code: 'memory_unavailable' } as const
const stored = 'The entry is stored once or not at all.'

/** A row of an operation that fails with its dependency. */
const fails = (request: FailureRequest, healthy: number, within = 10): Omit<FailureRow, 'dependency'> => ({
  request,
  healthy,
  killed: unavailable,
  frozen: { ...unavailable, within },
  slow: { status: healthy },
})

/** A row of an operation that does without its dependency. */
const lives = (request: FailureRequest, healthy: number, within?: number): Omit<FailureRow, 'dependency'> => ({
  request,
  healthy,
  killed: { status: healthy },
  frozen: { status: healthy, ...(within === undefined ? {} : { within }) },
  slow: { status: healthy },
})

const append = { method: 'POST', path: '/memory/c1/append', body: { n: 1 } } as const
const read = { method: 'GET', path: '/memory/c1' } as const
const find = { method: 'GET', path: '/memory/c1/search?q=price' } as const
const remember = { method: 'POST', path: '/memory/agent/remember', body: { text: 'The price is ten.' } } as const
const recall = { method: 'POST', path: '/memory/agent/search', body: { query: 'price' } } as const
const search = { method: 'POST', path: '/knowledge/search', body: { query: 'refund' } } as const
const words = 'Without a vector the text is found by its words.'

/** Memory and knowledge while the state role, its stores or the gateway of the embedding model fails. */
export const memoryFailures = defineFailures(memoryPort, {
  'POST /memory/{id}/append': [
    { ...fails(append, 201), dependency: 'state role', note: stored },
    { ...fails(append, 201), dependency: 'Redis', note: stored },
  ],
  'GET /memory/{id}': [
    { ...fails(read, 200), dependency: 'state role' },
    { ...fails(read, 200), dependency: 'Redis' },
  ],
  'GET /memory/{id}/search': [
    { ...fails(find, 200), dependency: 'state role' },
    { ...fails(find, 200), dependency: 'Redis' },
  ],
  'POST /memory/agent/remember': [
    { ...fails(remember, 201), dependency: 'state role', note: stored },
    { ...fails(remember, 201), dependency: 'PostgreSQL', note: stored },
    { ...lives(remember, 201), dependency: 'Redis' },
    { ...lives(remember, 201, 5), dependency: 'model gateway', note: words },
  ],
  'POST /memory/agent/search': [
    { ...fails(recall, 200), dependency: 'state role' },
    { ...fails(recall, 200), dependency: 'PostgreSQL' },
    { ...lives(recall, 200, 5), dependency: 'model gateway', note: words },
  ],
  'POST /knowledge/search': [
    { ...fails(search, 200), dependency: 'state role' },
    { ...fails(search, 200), dependency: 'PostgreSQL' },
    { ...lives(search, 200), dependency: 'Redis' },
    { ...lives(search, 200, 5), dependency: 'model gateway', note: words },
  ],
})
