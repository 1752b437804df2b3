import { usageTable } from '#core/database/usage-table.ts'
import type { Transaction } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import type { Reader } from '#core/event-store/store.ts'
import { memoryErrors } from '../contract/errors.ts'
import type { MemorySettings } from '../contract/settings.ts'
import type { MemoryTables } from '../contract/tables.ts'

type Db = Transaction<MemoryTables>

const usage = usageTable('memory_usage', { owner: 'owner', counts: ['items', 'bytes'] })

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
  const used = await usage.add(db, quota.owner, { items: 1, bytes })
  if (used.items > quota.items)
    throw new Fail(
      memoryErrors.memory_quota_exceeded,
      `The ${quota.name} would exceed its limit of ${quota.items} items of long-term memory.`,
    )
  if (used.bytes > quota.bytes)
    throw new Fail(
      memoryErrors.memory_quota_exceeded,
      `The ${quota.name} would exceed its limit of ${quota.bytes} bytes of long-term memory.`,
    )
}

/** Subtracts removed items from the usage of their agents and namespaces. */
export async function removeUsage(
  db: Db,
  removed: readonly { readonly agent_uid: string; readonly namespace: string; readonly bytes: number }[],
): Promise<void> {
  await usage.subtract(
    db,
    removed.flatMap(({ agent_uid, namespace, bytes }) =>
      [agentOwner(agent_uid), namespaceOwner(namespace)].map((owner) => ({ owner, items: 1, bytes })),
    ),
  )
}

/** Bytes of all items. */
export async function readItemBytes(db: Reader<MemoryTables>): Promise<number> {
  return usage.total(db, 'bytes', namespaceOwner(''))
}

/** Key of the usage of an agent. */
export function agentOwner(uid: string): string {
  return `agent/${uid}`
}

/** Key of the usage of a namespace. */
export function namespaceOwner(namespace: string): string {
  return `namespace/${namespace}`
}
