import type { BoundedLists, ExceededBound, GroupName, ListLimits, ListName } from './state-store.ts'

/** A list of a group. */
interface List {
  readonly values: string[]
  bytes: number
  expiresAt: number
}

/** Lists of a group by name, in the order of their last append. */
interface Group {
  readonly lists: Map<string, List>
  bytes: number
  /** No list expires before this time. */
  soonest: number
}

/** Groups of a space by name. */
interface Space {
  readonly groups: Map<string, Group>
  bytes: number
  lists: number
}

/** Limits and clock of the adapter. `now` is monotonic. */
export interface MemoryListOptions {
  readonly maxBytes: number
  readonly now: () => number
}

// Bytes that a list or a group needs besides its values, so that many small ones are bounded too.
const OVERHEAD = 200

/** Creates lists in this process. An append that would exceed `maxBytes` in total is refused, and half of it in one space. */
export function createMemoryLists({ maxBytes, now }: MemoryListOptions): BoundedLists {
  const spaces = new Map<string, Space>()
  let total = 0

  const spaceOf = (name: GroupName): Space => spaces.get(name.space) ?? { groups: new Map(), bytes: 0, lists: 0 }
  const groupOf = (space: Space, name: GroupName): Group =>
    space.groups.get(name.group) ?? { lists: new Map(), bytes: 0, soonest: Infinity }

  const drop = (name: ListName): boolean => {
    const [space, group] = [spaceOf(name), groupOf(spaceOf(name), name)]
    const found = group.lists.get(name.list)
    if (found === undefined) return false
    group.lists.delete(name.list)
    group.bytes -= found.bytes
    space.bytes -= found.bytes
    space.lists--
    total -= found.bytes + OVERHEAD
    if (group.lists.size === 0) space.groups.delete(name.group)
    if (space.groups.size === 0) spaces.delete(name.space)
    return true
  }
  // A group is searched when its first list may expire, not at every call.
  const live = (name: GroupName): Group => {
    const [group, time] = [groupOf(spaceOf(name), name), now()]
    if (time < group.soonest) return group
    group.soonest = Infinity
    for (const [list, { expiresAt }] of group.lists)
      if (expiresAt <= time) drop({ ...name, list })
      else group.soonest = Math.min(group.soonest, expiresAt)
    return groupOf(spaceOf(name), name)
  }
  const expire = (space: string): void => {
    for (const group of spaces.get(space)?.groups.keys() ?? []) live({ space, group })
  }
  // Lists of other groups are searched only if they may be the reason for a refusal.
  const exceededBy = (name: ListName, needed: Needed, limits: ListLimits): ExceededBound | undefined => {
    const beyond = (): boolean => overSpace(spaceOf(name), needed, limits) !== undefined
    if (beyond() || shareOf(spaceOf(name)) + needed.stored > maxBytes / 2) expire(name.space)
    const refused = overGroup(live(name), needed, limits) ?? overSpace(spaceOf(name), needed, limits)
    if (refused !== undefined) return refused
    if (shareOf(spaceOf(name)) + needed.stored > maxBytes / 2) return 'store'
    if (total + needed.stored > maxBytes) for (const space of spaces.keys()) expire(space)
    return total + needed.stored > maxBytes ? 'store' : undefined
  }

  return {
    append: async (name, value, limits) => {
      const list = live(name).lists.get(name.list) ?? { values: [], bytes: 0, expiresAt: 0 }
      const bytes = Buffer.byteLength(value)
      const isNew = list.values.length === 0
      if ((limits.dropsOldest === true ? bytes : list.bytes + bytes) > limits.maxListBytes)
        return { exceeded: 'list-bytes' }
      const exceeded = exceededBy(name, { bytes, isNew, stored: bytes + (isNew ? OVERHEAD : 0) }, limits)
      if (exceeded !== undefined) return { exceeded }
      const [space, group] = [spaceOf(name), groupOf(spaceOf(name), name)]
      const added = bytes - pushInto(list, value, limits)
      list.expiresAt = now() + limits.ttlMs
      group.soonest = Math.min(group.soonest, list.expiresAt)
      total += added + (isNew ? OVERHEAD : 0)
      group.bytes += added
      space.bytes += added
      space.lists += isNew ? 1 : 0
      group.lists.delete(name.list)
      group.lists.set(name.list, list)
      spaces.set(name.space, space)
      space.groups.set(name.group, group)
      return { length: list.values.length }
    },
    read: async (name) => [...(live(name).lists.get(name.list)?.values ?? [])],
    usage: async (name) => ({ bytes: live(name).bytes, lists: live(name).lists.size }),
    newest: async (name, limit) =>
      [...live(name).lists]
        .map(([list, { bytes, expiresAt }]) => ({ list, bytes, expiresInMs: expiresAt - now() }))
        .toReversed()
        .toSorted((a, b) => b.expiresInMs - a.expiresInMs)
        .slice(0, limit),
    remove: async (name) => live(name).lists.has(name.list) && drop(name),
    removeGroup: async (name) => {
      for (const list of groupOf(spaceOf(name), name).lists.keys()) drop({ ...name, list })
    },
  }
}

/** Size of an append: bytes of its value, without and with the overhead of a new list. */
interface Needed {
  readonly bytes: number
  readonly isNew: boolean
  readonly stored: number
}

function overGroup(group: Group, { bytes, isNew }: Needed, limits: ListLimits): ExceededBound | undefined {
  if (group.bytes + bytes > limits.maxGroupBytes) return 'group-bytes'
  return isNew && group.lists.size >= limits.maxGroupLists ? 'group-lists' : undefined
}

function overSpace(space: Space, { bytes, isNew }: Needed, limits: ListLimits): ExceededBound | undefined {
  if (space.bytes + bytes > limits.maxSpaceBytes) return 'space-bytes'
  return isNew && space.lists >= limits.maxSpaceLists ? 'space-lists' : undefined
}

function shareOf({ bytes, lists }: Space): number {
  return bytes + lists * OVERHEAD
}

/** Appends a value and drops the oldest ones beyond the bounds of the list. Returns the bytes of those. */
function pushInto(list: List, value: string, { maxListEntries, maxListBytes }: ListLimits): number {
  let freed = 0
  list.values.push(value)
  list.bytes += Buffer.byteLength(value)
  let drops = 0
  while (list.values.length - drops > maxListEntries || list.bytes > maxListBytes) {
    const size = Buffer.byteLength(list.values[drops++] ?? '')
    freed += size
    list.bytes -= size
  }
  list.values.splice(0, drops)
  return freed
}
