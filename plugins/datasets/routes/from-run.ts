import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import { FromRunInput } from '#schemas/api/dataset-exports.ts'
import { DatasetCase, DatasetParams, DatasetQuery } from '#schemas/api/datasets.ts'
import { caseOfRun, createRedactors } from '../cases/case-of-run.ts'
import { findCaseProblems, prepareCase } from '../cases/prepare-case.ts'
import type { GivenCase } from '../cases/prepare-case.ts'
import { toCaseView } from '../views/to-views.ts'
import { datasetErrors } from '../contract/errors.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables } from '../contract/tables.ts'
import { findCase, readLiveCases } from '../store/cases.ts'
import { readCurrentLabels } from '../store/labels.ts'
import { checkDatasetName, fieldsOf, openDataset } from '../writes/change-dataset.ts'
import type { DatasetPlace } from '../writes/change-dataset.ts'
import { refuseCase, unknownCase } from '../writes/refusals.ts'
import { writeCases } from '../writes/write-cases.ts'
import { reviewOf } from './names.ts'
import { placeOfDataset, readDataset } from './open-dataset.ts'

/** No entry of the journal is needed for a case. */
export const contentOnly = { rows: 1, bytes: 1 } as const

const examples = {
  run: { summary: 'A good run', value: { runId: '019a0000-0000-7000-8000-000000000000', expected: 'output' } },
}

/** Makes a case from a run. */
export function fromRunEndpoint(services: DatasetsServices): AnyEndpoint {
  const { store, runs } = services
  return endpoint({
    method: 'POST',
    url: '/datasets/:name/cases/from-run',
    id: 'createDatasetCaseFromRun',
    docs: { examples },
    summary:
      'Create a case from a run that the caller may get. Secrets are removed. The case has the id of the run; the dataset is created if it does not exist.',
    authz: reviewOf('create'),
    audit: { action: 'store-cases', resourceKind: 'Dataset' },
    params: DatasetParams,
    query: DatasetQuery,
    body: FromRunInput,
    response: { 201: DatasetCase, 200: DatasetCase },
    handle: async (call) => {
      const { params, access, caller, body } = call
      checkDatasetName(params.name)
      const redactors = createRedactors(body.redaction?.redact ?? [])
      const snapshot = await runs.snapshot(caller, body.runId, contentOnly)
      const { expected = 'output', tags } = body
      const given = await caseOfRun(snapshot, { expected, tags, redactors })
      if (given === 'hidden') throw new Fail(datasetErrors.run_content_hidden)
      const place = await placeOfDataset(services, access, params.name)
      const { created } = await store.transact((tx) => storeCase(services, tx, place, given))
      call.reply.code(created > 0 ? 201 : 200)
      const dataset = await readDataset(services, call)
      const db = store.reader<DatasetsTables>()
      const found = await findCase(db, dataset.id, given.id)
      if (found === undefined) throw unknownCase()
      return toCaseView(found, (await readCurrentLabels(db, dataset.id, [given.id])).get(given.id))
    },
  })
}

async function storeCase(services: DatasetsServices, tx: Tx, place: DatasetPlace, given: GivenCase) {
  const { dataset } = await openDataset(services, tx, place)
  const made = prepareCase(given)
  const { inputSchema, expectedSchema } = fieldsOf(dataset)
  const schemas = { input: inputSchema ?? undefined, expected: expectedSchema ?? undefined }
  const problems = findCaseProblems(given, made.bytes, { schemas, caseBytes: services.settings.caseBytes })
  if (problems.length > 0) throw refuseCase(problems)
  const [live] = await readLiveCases(tx.tables<DatasetsTables>(), dataset.id, [made.id])
  if (live !== undefined && !live.archived && live.digest !== made.digest)
    throw new Fail(
      datasetErrors.case_exists,
      'The run is a case of the dataset already, with other content; put that case to change it.',
    )
  return writeCases(services, { tx, dataset }, [[made]], { by: place.by, way: 'run', caseId: made.id, runId: made.id })
}
