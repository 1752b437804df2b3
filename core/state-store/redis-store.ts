import { createHash } from 'node:crypto'
import * as scripts from './redis-scripts.ts'
import type { Script } from './redis-scripts.ts'
import { connectRedis } from './redis-connection.ts'
import type { RedisConnection, RedisReport } from './redis-connection.ts'
import type { RedisAddress } from './redis-url.ts'
import type {
  AdmissionOutcome,
  Admissions,
  AppendOutcome,
  BoundedLists,
  ExceededBound,
  GroupName,
  StateStore,
} from './state-store.ts'

/** Opens the store on Valkey or Redis. Installations that share a server have different names. */
export function openRedisStore(address: RedisAddress, install: string, report: RedisReport = {}): StateStore {
  const connection = connectRedis(address, report)
  const keys = keysOf(install)
  return {
    lists: createLists(connection, keys),
    admissions: createAdmissions(connection, keys),
    check: async () => {
      await connection.command('PING')
    },
    close: () => connection.close(),
  }
}

type Keys = ReturnType<typeof keysOf>

// Space and group are hashed, the space into the hash tag of the key: one slot per space, and no name can leave its group.
function keysOf(install: string) {
  const hash = remembered((name) => createHash('sha256').update(name).digest('base64url'))
  const prefix = (space: string): string => `mesh:${install}:{${hash(space)}}`
  return {
    lists: ({ space, group }: GroupName, list = '') => {
      const [all, own] = [prefix(space), hash(group)]
      return [`${all}:l:${own}:${list}`, `${all}:x:${own}`, `${all}:s`, `${all}:b`]
    },
    limits: (group: string, kind: 'c' | 'r', names: readonly string[]) =>
      names.map((name) => `${prefix(group)}:${kind}:${name}`),
  }
}

// Names of agents and namespaces repeat; a hash costs as much as the encoding of its command.
const MAX_HASHES = 2_000

function remembered(hash: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    if (known.size >= MAX_HASHES) known.clear()
    const made = hash(name)
    known.set(name, made)
    return made
  }
}

function createLists(connection: RedisConnection, keys: Keys): BoundedLists {
  const run = (script: Script, name: GroupName, args: readonly (string | number)[] = []): Promise<unknown> =>
    connection.run(script, keys.lists(name), args)
  return {
    append: async (name, value, limits): Promise<AppendOutcome> => {
      const { ttlMs, maxListBytes, maxListEntries, dropsOldest = false } = limits
      const { maxGroupBytes, maxGroupLists, maxSpaceBytes, maxSpaceLists } = limits
      const ofList = [name.list, value, ttlMs, maxListBytes, maxListEntries, dropsOldest ? 1 : 0]
      const args = [...ofList, maxGroupBytes, maxGroupLists, maxSpaceBytes, maxSpaceLists]
      const reply = await connection.run(scripts.appendScript, keys.lists(name, name.list), args)
      return typeof reply === 'number' ? { length: reply } : { exceeded: reply as ExceededBound }
    },
    read: async (name) => {
      const [key = ''] = keys.lists(name, name.list)
      return (await connection.command('LRANGE', key, '0', '-1')) as string[]
    },
    usage: async (group) => {
      const [bytes, lists] = (await run(scripts.usageScript, group)) as [number, number]
      return { bytes, lists }
    },
    newest: async (group, limit) => {
      const flat = (await run(scripts.newestScript, group, [limit])) as (string | number)[]
      return Array.from({ length: flat.length / 3 }, (_, index) => ({
        list: String(flat[3 * index]),
        bytes: Number(flat[3 * index + 1]),
        expiresInMs: Number(flat[3 * index + 2]),
      }))
    },
    remove: async (name) =>
      (await connection.run(scripts.removeScript, keys.lists(name, name.list), [name.list])) === 1,
    removeGroup: async (group) => {
      while ((await run(scripts.removeGroupScript, group)) === 1);
    },
  }
}

function createAdmissions(connection: RedisConnection, keys: Keys): Admissions {
  const leaseKeys = (group: string, names: readonly string[]): string[] => keys.limits(group, 'c', names)
  const rateKeys = (group: string, names: readonly string[]): string[] => keys.limits(group, 'r', names)
  return {
    acquire: async ({ group, id, leases = [], rates = [] }): Promise<AdmissionOutcome> => {
      const names = [...leases, ...rates].map(({ key }) => key)
      const all = [...leaseKeys(group, names.slice(0, leases.length)), ...rateKeys(group, names.slice(leases.length))]
      const args = [
        ...leases.flatMap(({ limit, ttlMs }) => [limit, ttlMs]),
        ...rates.flatMap(({ limit, windowMs }) => [limit, windowMs]),
      ]
      const reply = await connection.run(scripts.acquireScript, all, [id, leases.length, ...args])
      const [index, retryAfterMs] = reply as [number, number]
      if (index === 0) return { admitted: true }
      const kind = index > leases.length ? 'rate' : 'concurrency'
      return { admitted: false, kind, key: names[index - 1] ?? '', retryAfterMs }
    },
    renew: async ({ group, id, keys: names, ttlMs }) =>
      names.length > 0 && (await connection.run(scripts.renewScript, leaseKeys(group, names), [id, ttlMs])) === 1,
    release: async ({ group, id, keys: names }) =>
      names.length > 0 && (await connection.run(scripts.releaseScript, leaseKeys(group, names), [id])) === 1,
    usage: async ({ group, leases = [], rates = [] }) => {
      const all = [...leaseKeys(group, leases), ...rateKeys(group, rates.map(({ key }) => key))] // prettier-ignore
      const windows = rates.map(({ windowMs }) => windowMs)
      const counts = (await connection.run(scripts.countScript, all, [leases.length, ...windows])) as number[]
      const named = (names: readonly string[], from: number): Record<string, number> =>
        Object.fromEntries(names.map((name, index) => [name, counts[from + index] ?? 0]))
      return {
        leases: named(leases, 0),
        rates: named(
          rates.map(({ key }) => key),
          leases.length,
        ),
      }
    },
  }
}
