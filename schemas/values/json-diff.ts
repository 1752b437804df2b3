import { pointerToken } from './json-pointer.ts'
import { isObject } from '#core/json/is-object.ts'
import type { PatchOperation } from './patch-operation.ts'

/** One top-level field of a spec that differs. */
export interface DiffSection {
  path: string
  from?: unknown
  to?: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** The RFC 6902 patch that turns one JSON value into another. Pure. */
export function toPatch(from: unknown, to: unknown, path = ''): PatchOperation[] {
  if (isEqual(from, to)) return []
  if (isObject(from) && isObject(to)) return patchFields(from, to, path)
  if (Array.isArray(from) && Array.isArray(to)) return patchList(from, to, path)
  return [{ op: 'replace', path, value: to }]
}

/** The top-level fields that differ, with both values. */
export function toSections(from: Fields, to: Fields): DiffSection[] {
  return allKeys(from, to)
    .filter((key) => !isEqual(from[key], to[key]))
    .map((key) => ({
      path: pointer('', key),
      ...(Object.hasOwn(from, key) ? { from: from[key] } : {}),
      ...(Object.hasOwn(to, key) ? { to: to[key] } : {}),
    }))
}

/** Whether two JSON values are equal, regardless of the order of keys. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

function patchFields(from: Fields, to: Fields, path: string): PatchOperation[] {
  return allKeys(from, to).flatMap((key): PatchOperation[] => {
    const place = pointer(path, key)
    if (!Object.hasOwn(to, key)) return [{ op: 'remove', path: place }]
    if (!Object.hasOwn(from, key)) return [{ op: 'add', path: place, value: to[key] }]
    return toPatch(from[key], to[key], place)
  })
}

// Equal prefixes and suffixes are kept, so that one inserted entry is one `add`, not a replacement of every entry.
function patchList(from: readonly unknown[], to: readonly unknown[], path: string): PatchOperation[] {
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && isEqual(from[start], to[start])) start++
  let end = 0
  while (end < shorter - start && isEqual(from.at(-1 - end), to.at(-1 - end))) end++
  const [fromEnd, toEnd] = [from.length - end, to.length - end]
  const both = Math.min(fromEnd, toEnd)
  const changed = indexes(start, both).flatMap((index) => toPatch(from[index], to[index], `${path}/${index}`))
  // From the end, so that earlier indexes stay valid.
  const removed = indexes(both, fromEnd)
    .toReversed()
    .map((index) => ({ op: 'remove' as const, path: `${path}/${index}` }))
  const added = indexes(both, toEnd).map((index) => ({
    op: 'add' as const,
    path: `${path}/${index}`,
    value: to[index],
  }))
  return [...changed, ...removed, ...added]
}

function indexes(from: number, to: number): number[] {
  return Array.from({ length: Math.max(to - from, 0) }, (_, offset) => from + offset)
}

function allKeys(from: Fields, to: Fields): string[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted()
}

function pointer(path: string, key: string): string {
  return `${path}/${pointerToken(key)}`
}
