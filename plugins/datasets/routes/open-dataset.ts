import type { Access } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedDataset } from '../contract/tables.ts'
import { findDataset } from '../store/datasets.ts'
import type { DatasetPlace } from '../writes/change-dataset.ts'
import { unknownDataset } from '../writes/refusals.ts'

/** A call on a dataset: the proof of its review, and the name of the path. */
export interface DatasetCall {
  readonly access: Access
  readonly params: { readonly name: string }
}

/** The dataset of a call. Throws `not_found`. */
export async function readDataset(
  { store }: Pick<DatasetsServices, 'store'>,
  { access: { namespace }, params: { name } }: DatasetCall,
): Promise<SelectedDataset> {
  const found = await findDataset(store.reader<DatasetsTables>(), { namespace, name })
  if (found === undefined) throw unknownDataset()
  return found
}

/** The place of a dataset that a call may create. Throws `not_found` for an unknown namespace. */
export async function placeOfDataset(
  { core }: Pick<DatasetsServices, 'core'>,
  { namespace, username: by }: Access,
  name: string,
): Promise<DatasetPlace> {
  const namespaceUid = await core.observed.namespaceUid(namespace, WAIT_MS)
  if (namespaceUid === undefined) throw new Fail('not_found', `There is no namespace ${namespace}.`)
  return { namespace, name, namespaceUid, by }
}

// The manager observes a new namespace some milliseconds after it was created.
const WAIT_MS = 2_000
