import { accountActor } from '#core/event-store/event.ts'
import type { EventType, NewEvent } from '#core/event-store/event.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { SelectedDataset } from '../contract/tables.ts'

/** An event of a dataset: its type, its data, and the account that caused it. */
export interface DatasetFact<Data> {
  readonly type: EventType<Data>
  readonly data: Data
  readonly by: string
}

/** Appends an event of a dataset to its stream. */
export function appendFact<Data>(
  tx: Tx,
  { id, namespace, namespace_uid: namespaceUid, name }: SelectedDataset,
  { type, data, by }: DatasetFact<Data>,
): Promise<void> {
  const subject = { namespace, namespaceUid, kind: 'Dataset', name, uid: id }
  const event: NewEvent<Data> = { type, data, actor: accountActor(by), subject }
  return tx.append(`datasets/${id}`, 'any', [event as NewEvent])
}
