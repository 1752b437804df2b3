import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import {
  DatasetPageQuery,
  DatasetParams,
  DatasetPin,
  DatasetPinList,
  DatasetQuery,
  PinInput,
  PinParams,
} from '#schemas/api/datasets.ts'
import { toPinView } from '../views/to-views.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables } from '../contract/tables.ts'
import { lockDataset } from '../store/datasets.ts'
import { findPin, listPins } from '../store/pins.ts'
import { pinDataset } from '../writes/pin-dataset.ts'
import { unknownDataset, unknownPin } from '../writes/refusals.ts'
import { reviewOf } from './names.ts'
import { readDataset } from './open-dataset.ts'

const examples = { noted: { summary: 'With a note', value: { note: 'Before the new prompt.' } } }

/** Routes of pins. */
export function pinEndpoints(services: DatasetsServices): readonly AnyEndpoint[] {
  return [pin(services), listAll(services), getOne(services)]
}

function pin(services: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/datasets/:name/pin',
    id: 'createDatasetPin',
    docs: { examples },
    summary: 'Create a pin of the cases as they are. Cases that were pinned before have the same version again (200).',
    authz: reviewOf('create'),
    audit: { action: 'pin', resourceKind: 'Dataset' },
    params: DatasetParams,
    query: DatasetQuery,
    body: PinInput,
    response: { 201: DatasetPin, 200: DatasetPin },
    handle: async ({ access: { namespace }, params: { name }, body: { note = '' }, caller, reply }) => {
      const pinned = await services.store.transact(async (tx) => {
        const dataset = await lockDataset(tx.tables<DatasetsTables>(), { namespace, name })
        if (dataset === undefined) throw unknownDataset()
        return pinDataset(services, tx, dataset, { by: caller.username, note })
      })
      reply.code(pinned.created ? 201 : 200)
      return toPinView(pinned.pin)
    },
  })
}

function listAll(services: DatasetsServices): AnyEndpoint {
  const db = services.store.reader<DatasetsTables>()
  return endpoint({
    method: 'GET',
    url: '/datasets/:name/pins',
    id: 'listDatasetPins',
    summary: 'List the pins of a dataset, newest version first.',
    authz: reviewOf('get'),
    params: DatasetParams,
    query: DatasetPageQuery,
    response: { 200: DatasetPinList },
    handle: async (call) => {
      const { id } = await readDataset(services, call)
      const { items, nextCursor } = await keyedPage(call, {
        bound: id,
        read: (page) => listPins(db, id, page),
        keyOf: ({ version }) => [version],
      })
      return { items: items.map(toPinView), nextCursor }
    },
  })
}

function getOne(services: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/datasets/:name/pins/:version',
    id: 'getDatasetPin',
    summary: 'Get a pin. `GET /api/datasets/{name}/cases?version=` lists its cases.',
    authz: reviewOf('get'),
    params: PinParams,
    query: DatasetQuery,
    response: { 200: DatasetPin },
    handle: async (call) => {
      const { id } = await readDataset(services, call)
      const version = /^[1-9][0-9]{0,8}$/.test(call.params.version) ? Number(call.params.version) : 0
      const found = await findPin(services.store.reader<DatasetsTables>(), id, version)
      if (found === undefined) throw unknownPin()
      return toPinView(found)
    },
  })
}
