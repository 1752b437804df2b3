import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import { datasetUsage } from './datasets.ts'

interface Counts {
  readonly datasets: number
  readonly bytes: number
}

/** Adds to the usage of a namespace; false, and nothing is added, if a sum would be above its maximum. */
export async function addDatasetUsage(
  tx: Tx,
  namespaceUid: string,
  added: Counts,
  most: Partial<Counts>,
): Promise<boolean> {
  return (await datasetUsage.addUpTo(tx.tables(), sql`${namespaceUid}`, added, most)) !== undefined
}
