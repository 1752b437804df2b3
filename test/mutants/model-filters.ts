import type { Mutant } from './mutant.ts'

const stream = ['plugins/providers/filters/response/stream-filter.test.ts']
const order = ['plugins/providers/filters/session/filter-order.test.ts']
const requests = ['plugins/providers/filters/request-filters.test.ts']

/** Defects of filters of model calls: text released unseen, open failures, another order. */
export const mutants: readonly Mutant[] = [
  {
    name: 'model filters: text is released before its look-back has been seen',
    file: 'plugins/providers/filters/session/text-stage.ts',
    find: 'return at > 0 ? outsidePair(this.#text, at) : 0',
    replace: 'return Math.max(at, this.#text.length)',
    tests: stream,
  },
  {
    name: 'model filters: a match at the boundary is released in part',
    file: 'plugins/providers/filters/session/text-stage.ts',
    find: 'Math.max(boundary, due.at(-1)?.end ?? 0)',
    replace: 'Math.max(boundary, 0)',
    tests: stream,
  },
  {
    name: 'model filters: a filter that fails is open by default',
    file: 'plugins/providers/filters/session/filter-session.ts',
    find: "if (this.#filter.onFailure !== 'pass')",
    replace: "if (this.#filter.onFailure === 'refuse')",
    tests: stream,
  },
  {
    name: 'model filters: a decision of an unknown form passes',
    file: 'plugins/providers/filters/session/filter-session.ts',
    find: "throw new TypeError('a decision must be undefined, { change } or { refuse }')",
    replace: 'return undefined',
    tests: requests,
  },
  {
    name: 'model filters: answers pass in the order of requests',
    file: 'plugins/providers/filters/call-filters.ts',
    find: 'this.#forAnswers = sessions.toReversed()',
    replace: 'this.#forAnswers = sessions',
    tests: stream,
  },
  {
    name: 'model filters: `before` is not part of the order',
    file: 'plugins/providers/filters/session/filter-order.ts',
    find: 'for (const later of before) earlier.get(later)?.add(name)',
    replace: 'for (const later of before) earlier.get(later)',
    tests: order,
  },
  {
    name: 'model filters: a tool call is released before it is complete',
    file: 'plugins/providers/filters/response/choice-filter.ts',
    find: 'frame.waiting++',
    replace: 'frame.waiting += 0',
    tests: stream,
  },
  {
    name: 'model filters: log probabilities repeat a text that a filter changed',
    file: 'plugins/providers/filters/response/stream-filter.ts',
    find: "if (filters.seesText && removeUnseen(part, delta, 'delta')) frame.changed = true",
    replace: '',
    tests: stream,
  },
  {
    name: 'model filters: a filter can change the model that the caller may use',
    file: 'plugins/providers/filters/call-filters.ts',
    find: 'for (const field of fixed)',
    replace: 'for (const field of fixed.slice(1))',
    tests: requests,
  },
  {
    name: 'exchange: an empty chunk is paused again',
    file: 'core/http-client/request.ts',
    find: 'if (chunk.length === 0) return',
    replace: '',
    tests: ['core/http-client/request.test.ts'],
  },
]
