import type { Mutant } from './mutant.ts'

const bodies = ['core/guardrails/body/guard-body.test.ts']

/** Defects of the texts that rules see: fields, parts, names and characters that are left out. */
export const mutants: readonly Mutant[] = [
  {
    name: 'guardrails: names of fields are not read',
    file: 'core/guardrails/body/map-strings.ts',
    find: 'const isRead = inner.json !== undefined || !isFieldWord(name)',
    replace: 'const isRead = inner.json !== undefined && !isFieldWord(name)',
    tests: bodies,
    only: 'every string of a body',
  },
  {
    name: 'guardrails: media of any form is not read',
    file: 'core/guardrails/body/exact-paths.ts',
    find: "if (form(value)) return 'plain'",
    replace: "if (form(value) || value.length > 0) return 'plain'",
    tests: bodies,
    only: 'every string of a body',
  },
  {
    name: 'guardrails: arguments that do not parse are read as text',
    file: 'core/guardrails/body/map-strings.ts',
    find: "    throw new UnreadableBody(pointer, 'must be JSON, which guardrails can read')\n",
    replace: '    return json\n',
    tests: bodies,
    only: 'do not parse',
  },
  {
    name: 'guardrails: parts of a message are read one by one',
    file: 'core/guardrails/body/body-texts.ts',
    find: 'joined: joined.size > 1 ? joined : undefined',
    replace: 'joined: joined.size > 1e9 ? joined : undefined',
    tests: bodies,
    only: 'split over parts',
  },
  {
    name: 'guardrails: a name that is given twice is sent twice',
    file: 'core/json/write-like.ts',
    find: 'const isKept = rest.delete(name)',
    replace: 'const isKept = rest.delete(name) || Object.hasOwn(value, name)',
    tests: ['core/json/write-like.test.ts'],
    only: 'given twice',
  },
  {
    name: 'guardrails: numbers are written as they were read',
    file: 'core/json/write-like.ts',
    find: 'JSON.parse(raw) === value',
    replace: 'JSON.stringify(value) === raw',
    tests: ['core/json/write-like.test.ts'],
    only: 'byte for byte',
  },
  {
    name: 'guardrails: a field of a stream begins again after another one',
    file: 'core/guardrails/text-scan.ts',
    find: 'this.decided = this.#settled ?? this.decided',
    replace: 'this.decided = this.decided + 0 * (this.#settled ?? 0)',
    tests: ['launcher/listeners/model-proxy/guarded-bodies.test.ts'],
    only: 'other fields come between',
  },
  {
    name: 'guardrails: invisible characters beyond the basic plane are kept',
    file: 'core/guardrails/detectors/fold-text.ts',
    find: 'if (invisible.test(character)) return GONE',
    replace: 'if (invisible.test(character) && character.length === 1) return GONE',
    tests: ['core/guardrails/detectors/fold-text.test.ts'],
  },
]
