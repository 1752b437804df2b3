import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import {
  CaseParams,
  DatasetLabel,
  DatasetLabelList,
  DatasetPageQuery,
  DatasetQuery,
  LabelInput,
} from '#schemas/api/datasets.ts'
import { toLabelView } from '../views/to-views.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables } from '../contract/tables.ts'
import { findCase } from '../store/cases.ts'
import { lockDataset } from '../store/datasets.ts'
import { listLabels } from '../store/labels.ts'
import { addLabel } from '../writes/add-label.ts'
import { unknownCase, unknownDataset } from '../writes/refusals.ts'
import { inQuery } from './names.ts'
import { readDataset } from './open-dataset.ts'

const resource = 'datasetlabels'
const examples = {
  decision: { summary: 'A decision', value: { name: 'correct', dataType: 'boolean', value: true } },
  correction: {
    summary: 'What the output should have been',
    value: { name: 'output', dataType: 'correction', value: 'Hello!', comment: 'Too long.' },
  },
}

/** Routes of the labels of a case. */
export function labelEndpoints(services: DatasetsServices): readonly AnyEndpoint[] {
  return [listAll(services), add(services)]
}

function listAll(services: DatasetsServices): AnyEndpoint {
  const db = services.store.reader<DatasetsTables>()
  return endpoint({
    method: 'GET',
    url: '/datasets/:name/cases/:caseId/labels',
    id: 'listDatasetLabels',
    summary: 'List all labels of a case, newest first, with those that a newer one has replaced.',
    authz: { kind: 'review', verb: 'list', resource, namespace: inQuery },
    params: CaseParams,
    query: DatasetPageQuery,
    response: { 200: DatasetLabelList },
    handle: async (call) => {
      const dataset = await readDataset(services, call)
      const key = { datasetId: dataset.id, caseId: call.params.caseId }
      if ((await findCase(db, key.datasetId, key.caseId)) === undefined) throw unknownCase()
      const { items, nextCursor } = await keyedPage(call, {
        bound: key,
        read: (page) => listLabels(db, key, page),
        keyOf: ({ id }) => [id],
      })
      return { items: items.map(toLabelView), nextCursor }
    },
  })
}

function add(services: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/datasets/:name/cases/:caseId/labels',
    id: 'createDatasetLabel',
    docs: { examples },
    summary: 'Create a label of a case. The newest label of a case, name and caller counts; earlier ones stay.',
    authz: { kind: 'review', verb: 'create', resource, namespace: inQuery },
    audit: { action: 'label', resourceKind: 'Dataset' },
    params: CaseParams,
    query: DatasetQuery,
    body: LabelInput,
    idempotent: true,
    response: { 201: DatasetLabel },
    handle: async ({ access: { namespace }, params: { name, caseId }, body: label, caller, idempotency }) => {
      const made = await services.store.transact(async (tx) => {
        const dataset = await lockDataset(tx.tables<DatasetsTables>(), { namespace, name })
        if (dataset === undefined) throw unknownDataset()
        return addLabel(services, tx, dataset, { caseId, label, annotator: caller.username, idempotency })
      })
      return toLabelView(made)
    },
  })
}
