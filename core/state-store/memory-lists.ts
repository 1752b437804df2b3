import type { BoundedLists, ListName } from './state-store.ts'

/** A list of a group. */
interface List {
  readonly values: string[]
  bytes: number
  expiresAt: number
}

/** Lists of a group by name, in the order of their last append. */
type Group = Map<string, List>

/** Limits and clock of the adapter. `now` is monotonic. */
export interface MemoryListOptions {
  readonly maxBytes: number
  readonly now: () => number
}

// Bytes that a list or a group needs beside its values, so that many small ones are bounded too.
const OVERHEAD = 200

/** Creates lists in this process. An append that would exceed `maxBytes` in total is refused. */
export function createMemoryLists({ maxBytes, now }: MemoryListOptions): BoundedLists {
  const groups = new Map<string, Group>()
  let total = 0

  const drop = (group: string, list: string): boolean => {
    const found = groups.get(group)?.get(list)
    if (found === undefined) return false
    total -= found.bytes + OVERHEAD
    groups.get(group)?.delete(list)
    if (groups.get(group)?.size === 0) groups.delete(group)
    return true
  }
  const live = (group: string): Group => {
    for (const [list, { expiresAt }] of groups.get(group) ?? []) if (expiresAt <= now()) drop(group, list)
    return groups.get(group) ?? new Map<string, List>()
  }
  const find = ({ group, list }: ListName): List | undefined => live(group).get(list)
  const bytesOf = (lists: Group): number => lists.values().reduce((sum, { bytes }) => sum + bytes, 0)

  return {
    append: async (name, value, limits) => {
      const lists = live(name.group)
      const list = lists.get(name.list) ?? { values: [], bytes: 0, expiresAt: 0 }
      const added = Buffer.byteLength(value)
      const isNew = list.values.length === 0
      if (list.bytes + added > limits.maxListBytes) return { exceeded: 'list-bytes' }
      if (bytesOf(lists) + added > limits.maxGroupBytes) return { exceeded: 'group-bytes' }
      if (isNew && lists.size >= limits.maxGroupLists) return { exceeded: 'group-lists' }
      const needed = added + (isNew ? OVERHEAD : 0)
      if (total + needed > maxBytes) for (const group of groups.keys()) live(group)
      if (total + needed > maxBytes) return { exceeded: 'store' }
      list.values.push(value)
      const dropped = list.values.splice(0, Math.max(0, list.values.length - limits.maxListEntries))
      const freed = dropped.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
      total += needed - freed
      list.bytes += added - freed
      list.expiresAt = now() + limits.ttlMs
      lists.delete(name.list)
      groups.set(name.group, lists.set(name.list, list))
      return { length: list.values.length }
    },
    read: async (name) => [...(find(name)?.values ?? [])],
    usage: async (group) => ({ bytes: bytesOf(live(group)), lists: live(group).size }),
    newest: async (group, limit) =>
      [...live(group)]
        .map(([list, { bytes, expiresAt }]) => ({ list, bytes, expiresInMs: expiresAt - now() }))
        .toReversed()
        .toSorted((a, b) => b.expiresInMs - a.expiresInMs)
        .slice(0, limit),
    remove: async ({ group, list }) => live(group).has(list) && drop(group, list),
    removeGroup: async (group) => {
      for (const list of groups.get(group)?.keys() ?? []) drop(group, list)
    },
  }
}
