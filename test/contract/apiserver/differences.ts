import type { Difference } from './normalise.ts'
import type { Step } from './steps.ts'

/** A difference between the embedded server and the real one that is meant to be there. */
export interface Allowed {
  readonly why: string
  is(difference: Difference, step: Step | undefined): boolean
}

const both = ({ real, ours }: Difference, pattern: RegExp): boolean =>
  pattern.test(String(real)) && pattern.test(String(ours))

const texts = ({ real, ours }: Difference, first: RegExp, second: RegExp): boolean =>
  first.test(String(real)) && second.test(String(ours))

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
  {
    why: 'a dry run of a create echoes the resourceVersion that it was given',
    is: ({ path, ours }, step) =>
      step?.query['dryRun'] === 'All' && path === '.body.metadata.resourceVersion' && ours === undefined,
  },
  {
    why: 'a name that no object can have is refused before the body is read',
    is: (difference) => texts(difference, /does not match the name on the URL/, /^Name parameter invalid/),
  },
  {
    why: 'warnings about the contents of a pod template are not given',
    is: ({ path, real, ours }, step) =>
      path === '.warning' && step?.kind === 'deployments' && ours === undefined && /spec\.template/.test(String(real)),
  },
  {
    why: 'a missing name does not keep CEL rules from being checked: more is said, not less',
    is: ({ path, real }) =>
      /^\.body\.(message|details\.causes)/.test(path) &&
      /name or generateName is required/.test(JSON.stringify(real)) &&
      /some validation rules were not checked/.test(JSON.stringify(real)),
  },
]
