import type { Mutant } from './mutant.ts'

const rules = ['core/guardrails/guardrails.test.ts']
const bodies = ['core/guardrails/body/guard-body.test.ts']

/** Defects of what rules read and find. */
export const mutants: readonly Mutant[] = [
  {
    name: 'guardrails: card numbers need no check digit',
    file: 'core/guardrails/detectors/card-numbers.ts',
    find: 'endsGroup(text, last) && passesLuhn(values, first, length)',
    replace: 'endsGroup(text, last) && (passesLuhn(values, first, length) || true)',
    tests: rules,
    only: 'by syntax and checksum',
  },
  {
    name: 'guardrails: a long secret is masked up to its window',
    file: 'core/guardrails/text-scan.ts',
    find: 'if (tail !== undefined) this.#open[rule] = { tail, at, left: tail.limit }',
    replace: 'if (tail !== undefined && at < 0) this.#open[rule] = { tail, at, left: tail.limit }',
    tests: rules,
    only: 'a secret is masked to its end',
  },
  {
    name: 'guardrails: an answer that is too long for its schema passes',
    file: 'core/guardrails/text-judge.ts',
    find: 'whole.length > maxWhole || output?.(whole) === false',
    replace: 'whole.length <= maxWhole && output?.(whole) === false',
    tests: rules,
    only: 'an answer with a schema',
  },
  {
    name: 'guardrails: patterns may end with the text',
    file: 'core/guardrails/detectors/regex.ts',
    find: '  if (hasAnchor(pattern))\n',
    replace: '  if (hasAnchor(pattern) && pattern.length > 1e6)\n',
    tests: rules,
    only: 'a rule that cannot be applied',
  },
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
