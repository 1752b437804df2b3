import { isObject } from '#core/json/is-object.ts'
import type { Difference } from './normalise.ts'
import type { Body, Step } from './step.ts'

/** An intended difference between the embedded server and kube-apiserver. */
export interface Allowed {
  readonly why: string
  is(difference: Difference, step: Step | undefined): boolean
}

const both = ({ real, ours }: Difference, pattern: RegExp): boolean =>
  pattern.test(String(real)) && pattern.test(String(ours))

const bodyOf = (step: Step | undefined): Body => (isObject(step?.body) ? step.body : {})
const withoutPorts = (warning: unknown): string =>
  String(warning ?? '')
    .split(/,(?=")/)
    .filter((each) => each !== '' && !each.includes('duplicate port definition with'))
    .join()

/** Every allowed difference with its reason. */
export const allowed: readonly Allowed[] = [
  {
    why: 'reviews are never stored: ownership of their fields has no use',
    is: ({ path }, step) => step?.does === 'review' && path.startsWith('.body.metadata.managedFields'),
  },
  {
    why: 'no warning about a port that two containers of a pod share',
    is: ({ path, real, ours }) => path === '.warning' && withoutPorts(real) === withoutPorts(ours),
  },
  {
    why: 'a merge patch that is not an object is a 400 without field validation too, where kube-apiserver fails on the result',
    is: ({ path, real, ours }, step) =>
      step?.query['fieldValidation'] === 'Ignore' &&
      step.type === 'application/merge-patch+json' &&
      !isObject(step.body) &&
      (path === '.status' ? real === 422 && ours === 400 : path === '.body.message'),
  },
  {
    why: 'the supported values of a policyType are listed in alphabetical order',
    is: (difference) => both(difference, /policyTypes\[\d\]: Unsupported value|^Unsupported value: "Nope"/),
  },
  {
    why: 'an object of another kind is refused for other fields than in kube-apiserver',
    is: ({ path }, step) => /^\.(warning|body\.(message|details))/.test(path) && bodyOf(step)['kind'] === 'Other',
  },
  {
    why: 'a scale from 0 to 0 writes nothing: kube-apiserver splits the managedFields entry of the replicas, then drops them',
    is: ({ path, real }, step) =>
      step?.kind === 'deployments' &&
      /managedFields\[\d\]\.fieldsV1\.f:spec\.f:replicas$/.test(path) &&
      real === undefined,
  },
  {
    why: 'a NUL in a name is escaped as in JSON',
    is: ({ path }, step) => step?.name === '%00' && path === '.body.message',
  },
]
