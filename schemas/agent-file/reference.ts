import type { Path, FileProblem } from './problem.ts'

// The same patterns as in `pathRef` of the kinds; repeated here because importing them would load the schema library.
const PATH_REFERENCE =
  /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Refuses a string that is neither `name` nor `namespace/name`. */
export function checkReferenceText(text: string, path: Path): FileProblem[] {
  const isValid = text.length <= 317 && PATH_REFERENCE.test(text)
  return isValid ? [] : [{ path, message: 'must be a name, or namespace/name' }]
}

/** `namespace/name` or `name` as an object. */
export function toObjectRef(text: string): { name: string; namespace?: string } {
  const [first = '', second] = text.split('/')
  return second === undefined ? { name: first } : { name: second, namespace: first }
}
