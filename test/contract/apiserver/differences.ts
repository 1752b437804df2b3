import type { Difference } from './normalise.ts'
import type { Step } from './steps.ts'

/** A difference between the embedded server and the real one that is meant to be there. */
export interface Allowed {
  readonly why: string
  is(difference: Difference, step: Step | undefined): boolean
}

const both = ({ real, ours }: Difference, pattern: RegExp): boolean =>
  pattern.test(String(real)) && pattern.test(String(ours))

/** Every allowed difference, one a line, with its reason. */
export const allowed: readonly Allowed[] = [
  {
    why: 'reviews are never stored: who owns their fields serves nobody',
    is: ({ path }, step) => step?.does === 'review' && path.startsWith('.body.metadata.managedFields'),
  },
  {
    why: "a refused patch echoes the whole object in Go's own order of keys",
    is: (difference) => both(difference, /patch: Invalid value: "|^Invalid value: "[{m]/),
  },
]
