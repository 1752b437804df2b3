import type { Mutant } from './mutant.ts'

const storable = ['core/http/storable.test.ts']
const loop = ['launcher/agent/loop.test.ts']

/** Defects in what bounds runs: data that cannot be stored, fairness, queues, retention. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a body with U+0000 is read',
    file: 'core/http/body.ts',
    find: "body.includes('\\\\u') ? findUnstorable(value) : undefined",
    replace: "body.includes('\\\\uZ') ? findUnstorable(value) : undefined",
    tests: storable,
    only: 'SEC6',
  },
  {
    name: 'keys of a body are not checked for U+0000',
    file: 'schemas/storable-text.ts',
    find: '    if (!isStorable(key)) return pointer\n',
    replace: '',
    tests: storable,
    only: 'SEC6',
  },
  {
    name: 'a query with U+0000 is read',
    file: 'core/http/query.ts',
    find: "  if (!isStorable(text)) throw refuse([{ pointer, detail: 'must not contain U+0000' }])\n",
    replace: '',
    tests: storable,
    only: 'SEC6',
  },
  {
    name: 'a time of the year 0 is read',
    file: 'core/http/query.ts',
    find: 'if (isTime && !isStorableTime(Date.parse(text)))',
    replace: 'if (isTime && Number.isNaN(Date.parse(text)))',
    tests: storable,
    only: 'SEC6',
  },
  {
    name: 'a character that is split between two chunks of a model is lost',
    file: 'launcher/agent/model-text.ts',
    find: "waiting = /[\\uD800-\\uDBFF]$/.test(text) ? text.slice(-1) : ''",
    replace: "waiting = ''",
    tests: loop,
    only: 'SEC6',
  },
]
