import { toPointer } from '../yaml/yaml-source.ts'
import type { ValuePath } from '../yaml/yaml-source.ts'

/** A difference of two values, named as an operation of RFC 6902. */
export interface FieldChange {
  readonly op: 'add' | 'remove' | 'replace'
  /** JSON Pointer. */
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
}

const MAX_CHANGES = 200
const MAX_DEPTH = 60

/** The operations that make a value of another one; at most 200. */
export function changedFields(before: unknown, after: unknown): readonly FieldChange[] {
  const changes: FieldChange[] = []
  compare(before, after, [])
  return changes

  function compare(a: unknown, b: unknown, path: ValuePath): void {
    if (changes.length >= MAX_CHANGES || Object.is(a, b)) return
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b) || path.length > MAX_DEPTH) {
      add({ op: 'replace', path: toPointer(path), from: a, to: b })
      return
    }
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) compareField(a, b, [...path, name])
  }

  function compareField(a: object, b: object, path: ValuePath): void {
    const name = String(path.at(-1))
    const [from, to] = [a, b].map((one) => (Object.hasOwn(one, name) ? Reflect.get(one, name) : undefined)) as unknown[]
    if (!Object.hasOwn(b, name)) add({ op: 'remove', path: toPointer(path), from })
    else if (Object.hasOwn(a, name)) compare(from, to, path)
    else add({ op: 'add', path: toPointer(path), to })
  }

  function add(change: FieldChange): void {
    if (changes.length < MAX_CHANGES) changes.push(change)
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
