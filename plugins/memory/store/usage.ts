import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import type { Reader } from '#core/event-store/store.ts'
import { memoryErrors } from '../contract/errors.ts'
import type { MemorySettings } from '../contract/settings.ts'
import type { MemoryTables } from '../contract/tables.ts'

type Db = Transaction<MemoryTables>

/** Maximum of an owner. */
interface Quota {
  readonly owner: string
  readonly name: string
  readonly items: number
  readonly bytes: number
}

/**
 * Adds an item to the usage of its agent and namespace. Throws `memory_quota_exceeded` above a quota. The rows are locked until COMMIT, so that
 * concurrent writers never exceed it.
 */
export async function addUsage(
  db: Db,
  { agentUid, namespace }: { readonly agentUid: string; readonly namespace: string },
  bytes: number,
  settings: MemorySettings,
): Promise<void> {
  const { agentItems, agentItemBytes, namespaceItems, namespaceItemBytes } = settings
  // In the order in which `removeUsage` locks them.
  await addTo(db, bytes, { owner: agentOwner(agentUid), name: 'agent', items: agentItems, bytes: agentItemBytes })
  const quota = { name: 'namespace', items: namespaceItems, bytes: namespaceItemBytes }
  await addTo(db, bytes, { owner: namespaceOwner(namespace), ...quota })
}

async function addTo(db: Db, bytes: number, quota: Quota): Promise<void> {
  const { rows } = await sql<{ items: number; bytes: bigint }>`
    insert into memory_usage as u (owner, items, bytes) values (${quota.owner}, 1, ${bytes})
    on conflict (owner) do update set items = u.items + 1, bytes = u.bytes + excluded.bytes
    returning items, bytes`.execute(db)
  const [used] = rows
  if (used === undefined || used.items > quota.items)
    throw new Fail(
      memoryErrors.memory_quota_exceeded,
      `The ${quota.name} would exceed its ${quota.items} items of long-term memory.`,
    )
  if (used.bytes > BigInt(quota.bytes))
    throw new Fail(
      memoryErrors.memory_quota_exceeded,
      `The ${quota.name} would exceed its ${quota.bytes} bytes of long-term memory.`,
    )
}

/** Subtracts removed items from the usage of their agents and namespaces. */
export async function removeUsage(
  db: Db,
  removed: readonly { readonly agent_uid: string; readonly namespace: string; readonly bytes: number }[],
): Promise<void> {
  const sums = new Map<string, { items: number; bytes: number }>()
  for (const { agent_uid, namespace, bytes } of removed)
    for (const owner of [agentOwner(agent_uid), namespaceOwner(namespace)]) {
      const sum = sums.get(owner) ?? { items: 0, bytes: 0 }
      sums.set(owner, { items: sum.items + 1, bytes: sum.bytes + bytes })
    }
  // In order, so that two transactions do not wait for each other.
  for (const [owner, { items, bytes }] of [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await sql`update memory_usage set items = greatest(items - ${items}::integer, 0), bytes = greatest(bytes - ${bytes}::bigint, 0)
      where owner = ${owner}`.execute(db)
  await sql`delete from memory_usage where owner = any(${[...sums.keys()]}::text[]) and items = 0`.execute(db)
}

/** Bytes of all items. */
export async function readItemBytes(db: Reader<MemoryTables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select coalesce(sum(bytes), 0)::float8 as bytes from memory_usage
    where owner like 'namespace/%'`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Key of the usage of an agent. */
export function agentOwner(uid: string): string {
  return `agent/${uid}`
}

/** Key of the usage of a namespace. */
export function namespaceOwner(namespace: string): string {
  return `namespace/${namespace}`
}
