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
    why: 'an applied secret whose data is not base64 is refused as such before its conflicts are counted',
    is: ({ path, real, ours }, step) =>
      step?.kind === 'secrets' &&
      step.does === 'apply' &&
      (path === '.status'
        ? real === 409 && ours === 500
        : path === '.body.message' && String(ours).includes('illegal base64')),
  },
  {
    why: 'the conditions of a service, which nobody writes here, are not filled up with empty texts and no time',
    is: ({ path, real, ours }, step) =>
      step?.kind === 'services' &&
      /(status\.conditions\[\d\]|f:conditions\..*)\.(f:)?(lastTransitionTime|reason|message)$/.test(path) &&
      real !== undefined &&
      ours === undefined,
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
    why: 'a service that began with its status, without an address, is not given families by its first update',
    is: ({ path, real, ours }, step) =>
      step?.kind === 'services' &&
      /\.spec\.ipFamil(ies|yPolicy)$/.test(path) &&
      real !== undefined &&
      ours === undefined,
  },
  {
    why: 'the values that a policyType may have are told in the order of the alphabet',
    is: (difference) => both(difference, /policyTypes\[\d\]: Unsupported value|^Unsupported value: "Nope"/),
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
    why: 'a list by name is authorized as that name even when its label selector cannot be read',
    is: ({ path }, step) =>
      step?.does === 'list' &&
      step.user === 'alice' &&
      /app in x|a b/.test(step.query['labelSelector'] ?? '') &&
      /^\.body\.(message|details\.name)/.test(path),
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
