import { Fail } from '#core/errors/domain-error.ts'
import type {
  DatasetCase,
  DatasetReference,
  DatasetSnapshot,
  DatasetsApi,
  DatasetsSystem,
  FoundDataset,
  SnapshotCases,
  SnapshotPage,
  UnresolvedDataset,
} from './contract/api.ts'
import type { WriteServices } from './contract/services.ts'
import type { DatasetsTables, SelectedCase, SelectedDataset } from './contract/tables.ts'
import { fittingCases, listCases } from './store/cases.ts'
import { findDataset, findDatasetOfId, lockDataset } from './store/datasets.ts'
import { findPin, findPinOfDigest, readLatestPins } from './store/pins.ts'
import type { ListedPin } from './store/pins.ts'
import { keepLive } from './writes/pin-dataset.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

/** Creates the API. */
export function createDatasetsApi(services: Pick<WriteServices, 'store'>): DatasetsApi {
  return { readCases: (snapshot, page) => readSnapshot(services, snapshot, page) }
}

/** Creates the reads without a proof. */
export function createDatasetsSystem(services: WriteServices): DatasetsSystem {
  return {
    ...createDatasetsApi(services),
    find: async (reference, from) => {
      const found = await findReference(services, reference, from)
      return 'found' in found ? found : describe(found.dataset, found.pin)
    },
    takeSnapshot: async (reference, from) => {
      const found = await findReference(services, reference, from)
      return 'found' in found ? found : takeSnapshot(services, reference, found)
    },
  }
}

interface Referred {
  readonly dataset: SelectedDataset
  readonly pin: ListedPin | undefined
}

async function findReference(
  { store }: Pick<WriteServices, 'store'>,
  { namespace, name, version }: DatasetReference,
  fromNamespace: string,
): Promise<Referred | UnresolvedDataset> {
  const db = store.reader<DatasetsTables>()
  const dataset = await findDataset(db, { namespace, name })
  const isAllowed = namespace === fromNamespace || dataset?.allowed_namespaces?.includes(fromNamespace) === true
  if (dataset === undefined || !isAllowed) {
    // Of another namespace, only datasets that allow it are known to exist.
    if (namespace === fromNamespace)
      return {
        found: false,
        reason: 'DatasetNotFound',
        detail: `There is no dataset ${name} in namespace ${namespace}.`,
      }
    const detail = `There is no dataset ${namespace}/${name} that allows the namespace ${fromNamespace} (allowedNamespaces).`
    return { found: false, reason: 'DatasetNotAllowed', detail }
  }
  if (version === undefined) return { dataset, pin: (await readLatestPins(db, [dataset])).get(dataset.id) }
  const pin = await findPin(db, dataset.id, version)
  if (pin !== undefined) return { dataset, pin }
  return { found: false, reason: 'PinNotFound', detail: `The dataset ${namespace}/${name} has no pin ${version}.` }
}

function describe(dataset: SelectedDataset, pin: ListedPin | undefined): FoundDataset {
  const shown = pin ?? { version: null, digest: null, cases: dataset.cases }
  return { found: true, datasetId: dataset.id, version: shown.version, digest: shown.digest, cases: shown.cases }
}

async function takeSnapshot(
  services: WriteServices,
  { namespace, name }: DatasetReference,
  { dataset, pin }: Referred,
): Promise<DatasetSnapshot | UnresolvedDataset> {
  const kept =
    pin ??
    (await services.store.transact(async (tx) => {
      const locked = await lockDataset(tx.tables<DatasetsTables>(), { namespace, name })
      if (locked?.id !== dataset.id) return undefined
      return keepLive(services, tx, locked, { by: 'system:mesh', note: '' })
    }))
  if (kept === undefined)
    return { found: false, reason: 'DatasetNotFound', detail: `There is no dataset ${name} in namespace ${namespace}.` }
  const { version, digest, cases } = kept
  return { found: true, datasetId: dataset.id, namespace, name, version, digest, cases }
}

async function readSnapshot(
  { store }: Pick<WriteServices, 'store'>,
  { datasetId, digest }: DatasetSnapshot,
  { after, limit = DEFAULT_LIMIT }: SnapshotPage = {},
): Promise<SnapshotCases> {
  const db = store.reader<DatasetsTables>()
  const dataset = await findDatasetOfId(db, datasetId)
  const pin = dataset && (await findPinOfDigest(db, dataset.id, digest))
  if (pin === undefined) throw new Fail('not_found', 'The dataset of the snapshot was deleted.')
  const most = Math.min(Math.max(limit, 1), MAX_LIMIT)
  const page = { limit: most + 1, after: after === undefined ? undefined : [after] }
  const rows = await listCases(db, { datasetId, mark: pin.mark }, page)
  const shown = rows.slice(0, Math.min(most, fittingCases(rows)))
  return { cases: shown.map(toCase), next: shown.length < rows.length ? shown.at(-1)?.id : undefined }
}

function toCase(row: SelectedCase): DatasetCase {
  return {
    id: row.id,
    digest: row.digest,
    input: JSON.parse(row.input),
    inputDigest: row.input_digest,
    ...(row.expected === null ? {} : { expected: JSON.parse(row.expected) as unknown }),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    tags: row.tags,
    source: {
      ...(row.run_id === null ? {} : { runId: row.run_id }),
      ...(row.trace_id === null ? {} : { traceId: row.trace_id }),
    },
  }
}
