import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { nothing } from '#schemas/api/common.ts'
import {
  CaseInput,
  CaseListQuery,
  CaseParams,
  DatasetCase,
  DatasetCaseList,
  DatasetParams,
  DatasetQuery,
} from '#schemas/api/datasets.ts'
import { isCaseId } from '../cases/case-id.ts'
import { findCaseProblems, prepareCase } from '../cases/prepare-case.ts'
import { toCaseView } from '../views/to-views.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedCase, SelectedDataset } from '../contract/tables.ts'
import { findCase, fittingCases, listCases } from '../store/cases.ts'
import { lockDataset } from '../store/datasets.ts'
import { readCurrentLabels } from '../store/labels.ts'
import { findPin } from '../store/pins.ts'
import { fieldsOf } from '../writes/change-dataset.ts'
import { refuseCase, unknownCase, unknownDataset, unknownPin } from '../writes/refusals.ts'
import { archiveCase, writeCases } from '../writes/write-cases.ts'
import { reviewOf } from './names.ts'
import { readDataset } from './open-dataset.ts'

const examples = {
  greeting: { summary: 'A greeting', value: { input: 'Good morning!', expected: 'Hello!', tags: ['greeting'] } },
}

/** Routes of cases. */
export function caseEndpoints(services: DatasetsServices): readonly AnyEndpoint[] {
  return [listAll(services), getOne(services), putOne(services), archiveOne(services)]
}

function listAll(services: DatasetsServices): AnyEndpoint {
  const db = services.store.reader<DatasetsTables>()
  return endpoint({
    method: 'GET',
    url: '/datasets/:name/cases',
    id: 'listDatasetCases',
    summary:
      'List the cases of a dataset with their labels that count, oldest case first. A page has at most four mebibytes of contents.',
    authz: reviewOf('get'),
    params: DatasetParams,
    query: CaseListQuery,
    response: { 200: DatasetCaseList },
    handle: async (call) => {
      const dataset = await readDataset(services, call)
      const { tag, archived, unlabelled, version } = call.query
      const mark = version === undefined ? undefined : await markOf(services, dataset, version)
      if (mark !== undefined && archived === true)
        throw new Fail('invalid_query', 'archived and version are mutually exclusive: no pin has archived cases.')
      const mine = unlabelled === undefined ? undefined : { name: unlabelled, annotator: call.caller.username }
      const { items, nextCursor } = await keyedPage(call, {
        bound: dataset.id,
        read: (page) => listCases(db, { datasetId: dataset.id, mark, archived, tag, unlabelled: mine }, page),
        keyOf: ({ position, id }) => [mark === undefined ? String(position) : id],
        fits: fittingCases,
      })
      return { items: await withLabels(services, dataset, items), nextCursor }
    },
  })
}

async function markOf({ store }: DatasetsServices, { id }: SelectedDataset, version: number): Promise<number> {
  const pin = await findPin(store.reader<DatasetsTables>(), id, version)
  if (pin === undefined) throw unknownPin()
  return pin.mark
}

async function withLabels({ store }: DatasetsServices, { id }: SelectedDataset, rows: readonly SelectedCase[]) {
  const ids = rows.map((row) => row.id)
  const labels = await readCurrentLabels(store.reader<DatasetsTables>(), id, ids)
  return rows.map((row) => toCaseView(row, labels.get(row.id)))
}

function getOne(services: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/datasets/:name/cases/:caseId',
    id: 'getDatasetCase',
    summary: 'Get a case with its labels that count, also an archived one.',
    authz: reviewOf('get'),
    params: CaseParams,
    query: DatasetQuery,
    response: { 200: DatasetCase },
    handle: async (call) => {
      const dataset = await readDataset(services, call)
      const found = await findCase(services.store.reader<DatasetsTables>(), dataset.id, call.params.caseId)
      if (found === undefined) throw unknownCase()
      const [view] = await withLabels(services, dataset, [found])
      return view
    },
  })
}

function putOne(services: DatasetsServices): AnyEndpoint {
  const { store, settings } = services
  return endpoint({
    method: 'PUT',
    url: '/datasets/:name/cases/:caseId',
    id: 'replaceDatasetCase',
    docs: { examples },
    summary: 'Replace a case, create one, or restore an archived one.',
    authz: reviewOf('update'),
    audit: { action: 'store-cases', resourceKind: 'Dataset' },
    params: CaseParams,
    query: DatasetQuery,
    body: CaseInput,
    response: { 200: DatasetCase, 201: DatasetCase },
    handle: async (call) => {
      const { params, body, access, caller } = call
      const { name, caseId } = params
      if (!isCaseId(caseId)) throw refuseCaseId()
      const made = prepareCase({ ...body, id: caseId })
      const written = await store.transact(async (tx) => {
        const dataset = await lockDataset(tx.tables<DatasetsTables>(), { namespace: access.namespace, name })
        if (dataset === undefined) throw unknownDataset()
        const { inputSchema, expectedSchema } = fieldsOf(dataset)
        const schemas = { input: inputSchema ?? undefined, expected: expectedSchema ?? undefined }
        const problems = findCaseProblems(body, made.bytes, { schemas, caseBytes: settings.caseBytes })
        if (problems.length > 0) throw refuseCase(problems)
        return writeCases(services, { tx, dataset }, [[made]], { by: caller.username, way: 'put', caseId })
      })
      call.reply.code(written.created > 0 ? 201 : 200)
      const dataset = await readDataset(services, call)
      const found = await findCase(store.reader<DatasetsTables>(), dataset.id, caseId)
      if (found === undefined) throw unknownCase()
      const [view] = await withLabels(services, dataset, [found])
      return view
    },
  })
}

function refuseCaseId(): Fail {
  const detail = 'must be 1 to 128 letters, digits, ".", "_" and "-", and not import or from-run'
  return new Fail('malformed_request', `The id of the case ${detail}.`, { errors: [{ pointer: ':caseId', detail }] })
}

function archiveOne(services: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'DELETE',
    url: '/datasets/:name/cases/:caseId',
    id: 'deleteDatasetCase',
    summary: 'Delete a case from the live ones: it is archived, pins keep it, and it is in no further pin.',
    authz: reviewOf('delete'),
    audit: { action: 'archive-case', resourceKind: 'Dataset' },
    params: CaseParams,
    query: DatasetQuery,
    response: { 204: nothing },
    handle: async ({ params: { name, caseId }, access: { namespace }, caller }) => {
      await services.store.transact((tx) => archiveCase(services, tx, { namespace, name, caseId }, caller.username))
    },
  })
}
