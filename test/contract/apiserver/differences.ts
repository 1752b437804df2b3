import type { Difference } from './normalise.ts'
import type { Body, Step } from './steps.ts'

/** A difference between the embedded server and the real one that is meant to be there. */
export interface Allowed {
  readonly why: string
  is(difference: Difference, step: Step | undefined): boolean
}

const both = ({ real, ours }: Difference, pattern: RegExp): boolean =>
  pattern.test(String(real)) && pattern.test(String(ours))

const texts = ({ real, ours }: Difference, first: RegExp, second: RegExp): boolean =>
  first.test(String(real)) && second.test(String(ours))

const bodyOf = (step: Step | undefined): Body => (isBody(step?.body) ? step.body : {})
const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

function isNameless(step: Step | undefined): boolean {
  const metadata = bodyOf(step)['metadata']
  return step?.verb === 'POST' && isBody(metadata) && !metadata['name']
}

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
    is: (difference) => texts(difference, /./, /^Name parameter invalid/),
  },
  {
    why: 'warnings about the contents of a pod template are not given',
    is: ({ path, real, ours }, step) =>
      path === '.warning' && step?.kind === 'deployments' && ours !== real && /spec\.template/.test(String(real)),
  },
  {
    why: 'a missing name does not keep CEL rules from being checked: more is said, not less',
    is: ({ path }, step) => /^\.body\.(message|details)/.test(path) && isNameless(step),
  },
  {
    why: 'of an object that says it is of another kind only the refusal is the same, not every word of it',
    is: ({ path }, step) => /^\.(warning|body\.(message|details))/.test(path) && bodyOf(step)['kind'] === 'Other',
  },
  {
    why: 'of several faults of an applied object the real one tells some, in the order of a Go map',
    is: (difference) => both(difference, /^failed to create typed patch object/),
  },
  {
    why: 'a name that no object can have is refused before the body could be warned of',
    is: ({ path }, step) => path === '.warning' && /^(\.|%2e)/i.test(step?.name ?? ''),
  },
  {
    why: 'the real one allocates an address before it looks at the name',
    is: ({ path, ours }, step) =>
      step?.kind === 'services' &&
      /^\.body\.(message|details)/.test(path) &&
      /name or generateName is required|^FieldValueRequired$|^metadata.name$/.test(String(ours)),
  },
  {
    why: 'a list by name is authorized as that name even when its label selector cannot be read',
    is: ({ path }, step) =>
      step?.does === 'list' &&
      step.user === 'alice' &&
      /app in x|a b/.test(step.query['labelSelector'] ?? '') &&
      /^\.body\.(message|details\.name)/.test(path),
  },
  {
    why: "a NUL in a name is escaped as JSON escapes it, not as Go's URL parser does",
    is: ({ path }, step) => step?.name === '%00' && path === '.body.message',
  },
  {
    why: 'an applied null counts as absent, as it does in every other write',
    is: ({ path }, step) =>
      step?.does === 'apply' &&
      /^\.(status|body\.(message|details))/.test(path) &&
      /"(size|spec)":null/.test(JSON.stringify(step.body)),
  },
  {
    why: 'the real one authorizes from a cache of its own, which may know a binding but not yet that its role is gone, or the reverse',
    is: ({ path, real, ours }) =>
      path === '.body.message' && String(real).replace(/: RBAC: .*/, '') === String(ours).replace(/: RBAC: .*/, ''),
  },
]
