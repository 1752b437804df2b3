import type { Static } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { rowList } from '#core/http/store/row-routes.ts'
import { requireVersion, versioned } from '#core/http/store/row-version.ts'
import { nothing } from '#schemas/api/common.ts'
import {
  Dataset,
  DatasetInput,
  DatasetList,
  DatasetListQuery,
  DatasetParams,
  DatasetQuery,
} from '#schemas/api/datasets.ts'
import { toDatasetView } from '../views/to-views.ts'
import type { DatasetView } from '../views/to-views.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedDataset } from '../contract/tables.ts'
import { findDataset, listDatasets } from '../store/datasets.ts'
import type { DatasetFields } from '../store/datasets.ts'
import { readLatestPins } from '../store/pins.ts'
import { checkDatasetName, deleteDataset, putDataset } from '../writes/change-dataset.ts'
import { datasetNames, reviewOf } from './names.ts'
import { placeOfDataset, readDataset } from './open-dataset.ts'

const examples = {
  shared: {
    summary: 'Of texts, for suites of another namespace too',
    value: { description: 'Greetings.', allowedNamespaces: ['staging'], inputSchema: { type: 'string' } },
  },
}

/** Routes of datasets themselves. */
export function datasetEndpoints(services: DatasetsServices): readonly AnyEndpoint[] {
  return [listAll(services), getOne(services), putOne(services), deleteOne(services)]
}

function listAll({ store }: DatasetsServices): AnyEndpoint {
  const db = store.reader<DatasetsTables>()
  return rowList(datasetNames, {
    url: '/datasets',
    id: 'listDatasets',
    summary:
      'List datasets by name. Without a namespace, of the whole cluster; with scope=permitted, of the namespaces that the caller may see.',
    query: DatasetListQuery,
    page: DatasetList,
    select:
      ({ query: { q } }) =>
      async (access, page) => {
        const rows = await listDatasets(db, access, q, page)
        const latest = await readLatestPins(db, rows)
        return rows.map((row) => ({ id: row.id, view: toDatasetView(row, latest.get(row.id)) }))
      },
    keyOf: ({ id, view }) => [view.name, id],
    show: ({ view }) => view,
  })
}

async function viewOf({ store }: DatasetsServices, row: SelectedDataset): Promise<DatasetView> {
  return toDatasetView(row, (await readLatestPins(store.reader<DatasetsTables>(), [row])).get(row.id))
}

function getOne(services: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/datasets/:name',
    id: 'getDataset',
    summary: 'Get a dataset.',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    authz: reviewOf('get'),
    params: DatasetParams,
    query: DatasetQuery,
    response: { 200: Dataset },
    handle: async (call) => {
      const row = await readDataset(services, call)
      return versioned(call, row.version, await viewOf(services, row))
    },
  })
}

function putOne(services: DatasetsServices): AnyEndpoint {
  const { store } = services
  return endpoint({
    method: 'PUT',
    url: '/datasets/:name',
    id: 'replaceDataset',
    summary:
      'Replace the description, readers and schemas of a dataset, or create one, which also needs the right to create datasets.',
    docs: { examples, reads: ['If-Match'], sends: ['ETag'] },
    authz: reviewOf('update'),
    audit: { action: 'update', resourceKind: 'Dataset' },
    params: DatasetParams,
    query: DatasetQuery,
    body: DatasetInput,
    response: { 200: Dataset, 201: Dataset },
    handle: async (call) => {
      const { access, params, body, caller } = call
      const { namespace } = access
      checkDatasetName(params.name)
      const found = await findDataset(store.reader<DatasetsTables>(), { namespace, name: params.name })
      if (found === undefined) await caller.review('create', 'datasets', { namespace, name: params.name })
      const place = await placeOfDataset(services, access, params.name)
      const put = { fields: toFields(body), expect: (version: number) => requireVersion(call, version) }
      const { dataset, created } = await store.transact((tx) => putDataset(services, tx, place, put))
      call.reply.code(created ? 201 : 200)
      return versioned(call, dataset.version, await viewOf(services, dataset))
    },
  })
}

function toFields(body: Static<typeof DatasetInput>): DatasetFields {
  const { description = '', allowedNamespaces = null, inputSchema = null, expectedSchema = null } = body
  return { description, allowedNamespaces, inputSchema, expectedSchema }
}

function deleteOne({ store }: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'DELETE',
    url: '/datasets/:name',
    id: 'deleteDataset',
    summary: 'Delete a dataset with its cases, labels and pins.',
    docs: { reads: ['If-Match'] },
    authz: reviewOf('delete'),
    audit: { action: 'delete', resourceKind: 'Dataset' },
    params: DatasetParams,
    query: DatasetQuery,
    response: { 204: nothing },
    handle: async (call) => {
      const { access, params, caller } = call
      const change = { by: caller.username, expect: (version: number) => requireVersion(call, version) }
      await store.transact((tx) => deleteDataset(tx, { namespace: access.namespace, name: params.name }, change))
    },
  })
}
