import type { Difference } from './normalise.ts'
import type { Body, Step } from './step.ts'

/** A difference between the embedded server and the real one that is meant to be there. */
export interface Allowed {
  readonly why: string
  is(difference: Difference, step: Step | undefined): boolean
}

const both = ({ real, ours }: Difference, pattern: RegExp): boolean =>
  pattern.test(String(real)) && pattern.test(String(ours))

const bodyOf = (step: Step | undefined): Body => (isBody(step?.body) ? step.body : {})
const withoutTemplate = (text: unknown): string =>
  String(text).replace(/Invalid value: (core\.|\{)(?:(?!Invalid value).)*: field is immutable/, 'TEMPLATE')
const withoutDiff = (text: unknown): string => String(text).replace(/(\n|\\n)@@(?:(?!","field").)*/s, '')
const withoutPorts = (warning: unknown): string =>
  String(warning ?? '')
    .split(/,(?=")/)
    .filter((each) => each !== '' && !each.includes('duplicate port definition with'))
    .join()
const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

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
    why: 'a pod is not warned of ports that two of its containers share',
    is: ({ path, real, ours }) => path === '.warning' && withoutPorts(real) === withoutPorts(ours),
  },
  {
    why: 'a merge patch that is no object is refused as such, though unchecked it would be the result that cannot be read',
    is: ({ path, real, ours }, step) =>
      step?.query['fieldValidation'] === 'Ignore' &&
      step.type === 'application/merge-patch+json' &&
      !isBody(step.body) &&
      (path === '.status' ? real === 422 && ours === 400 : path === '.body.message'),
  },
  {
    why: 'a template that may not change is shown as JSON, not as Go prints its structs',
    is: ({ path, real, ours }, step) =>
      step?.kind === 'jobs' &&
      /^\.body\.(message|details\.causes\[\d\]\.message)$/.test(path) &&
      withoutTemplate(real) === withoutTemplate(ours),
  },
  {
    why: "what changed in a pod that may not is not shown as a difference of Go's structs",
    is: ({ path, real, ours }, step) =>
      step?.kind === 'pods' &&
      /^\.body\.(message|details\.causes\[\d\]\.message)$/.test(path) &&
      withoutDiff(real) === String(ours),
  },
  {
    why: 'the values that a policyType may have are told in the order of the alphabet',
    is: (difference) => both(difference, /policyTypes\[\d\]: Unsupported value|^Unsupported value: "Nope"/),
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
    why: 'a scale of nothing to nothing is no write: the real one splits the entry of who owns the replicas, then drops them',
    is: ({ path, real }, step) =>
      step?.kind === 'deployments' &&
      /managedFields\[\d\]\.fieldsV1\.f:spec\.f:replicas$/.test(path) &&
      real === undefined,
  },
  {
    why: "a NUL in a name is escaped as JSON escapes it, not as Go's URL parser does",
    is: ({ path }, step) => step?.name === '%00' && path === '.body.message',
  },
]
