import type { Mutant } from './mutant.ts'

const durations = ['test/property/durations.test.ts']

/** Defects in conversations, delegation, waiting for runs, and the bounds of durations. */
export const mutants: readonly Mutant[] = [
  {
    name: 'durations: the API checks the syntax only',
    file: 'core/http/validate.ts',
    find: "return compiled.Check(value) ? durationErrors(schema, value, '') :",
    replace: 'return compiled.Check(value) ? [] :',
    tests: durations,
  },
  {
    name: 'durations: the rule of the CRD has no maximum for days',
    file: 'schemas/duration.ts',
    find: "const ofDays = maxDays < 1 ? 'false' : `self.matches('${daysUpTo(maxDays)}')`",
    replace: "const ofDays = maxDays < 1 ? 'false' : 'true'",
    tests: durations,
  },
  {
    name: 'durations: a long delay is given to one timer',
    file: 'core/async/long-timeout.ts',
    find: 'timer = setTimeout(left > MAX_TIMER_MS ? arm : done, Math.min(left, MAX_TIMER_MS))',
    replace: 'timer = setTimeout(done, left)',
    tests: ['core/async/long-timeout.test.ts'],
  },
]
