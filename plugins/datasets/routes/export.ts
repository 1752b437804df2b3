import type { Static } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { Access, Caller } from '#core/cluster/caller.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { ExportInput, ExportLines } from '#schemas/api/dataset-exports.ts'
import { DatasetParams, DatasetQuery, ExportParams } from '#schemas/api/datasets.ts'
import { Run } from '#schemas/api/runs.ts'
import { createRedactors } from '../cases/case-of-run.ts'
import { datasetErrors } from '../contract/errors.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables } from '../contract/tables.ts'
import { exportLines } from '../export/export-lines.ts'
import type { ExportRequest } from '../export/export-state.ts'
import { findExport, insertExport } from '../store/exports.ts'
import { checkDatasetName } from '../writes/change-dataset.ts'
import { refuseField } from '../writes/refusals.ts'
import { reviewOf } from './names.ts'
import { placeOfDataset } from './open-dataset.ts'

const examples = {
  into: { summary: 'The last good runs of an agent', value: { filter: { agent: 'hello', limit: 100 } } },
  file: { summary: 'A file without e-mail addresses', value: { format: 'ndjson', redaction: { redact: ['email'] } } },
}

const DAY_SECONDS = 24 * 3600

/** Routes of exports. */
export function exportEndpoints(services: DatasetsServices): readonly AnyEndpoint[] {
  return [start(services), download(services)]
}

function start(services: DatasetsServices): AnyEndpoint {
  const { runs } = services
  return endpoint({
    method: 'POST',
    url: '/datasets/:name/export',
    id: 'createDatasetExport',
    docs: { examples },
    summary:
      'Create an export of runs of the namespace as cases, without secrets and what is redacted: into a dataset, or as a file. A run does it; the caller must be allowed to list and get runs.',
    authz: reviewOf('create'),
    audit: { action: 'export', resourceKind: 'Dataset' },
    params: DatasetParams,
    query: DatasetQuery,
    body: ExportInput,
    idempotent: true,
    response: { 202: Run },
    handle: async ({ access, params: { name }, body, caller, idempotency }) => {
      const request = toRequest(services, name, body)
      const runId = await queueExport(services, { access, caller, request, idempotency })
      return runs.ofCallers().get(caller, runId, access.namespace as DnsLabel)
    },
  })
}

function toRequest({ feedback }: DatasetsServices, dataset: string, body: Static<typeof ExportInput>): ExportRequest {
  const { filter, redaction, expected = 'output', into, format } = body
  checkDatasetName(dataset)
  if (into !== undefined) checkDatasetName(into, '/into')
  if (into !== undefined && format !== undefined) throw refuseField('/into', 'and format are mutually exclusive')
  if (filter?.score !== undefined && feedback === undefined)
    throw refuseField('/filter/score', 'needs the plugin feedback, which is disabled')
  if (filter?.from !== undefined && filter.to !== undefined && new Date(filter.from) >= new Date(filter.to))
    throw refuseField('/filter/to', 'must be after from')
  // Names that cannot be applied are refused now.
  createRedactors(redaction?.redact ?? [])
  const asked = { ...(filter === undefined ? {} : { filter }), ...(redaction === undefined ? {} : { redaction }) }
  return { dataset, into: format === undefined ? (into ?? dataset) : null, expected, ...asked }
}

interface ExportCall {
  readonly access: Access<'create', 'datasets'>
  readonly caller: Caller
  readonly request: ExportRequest
  readonly idempotency: Idempotency | undefined
}

async function queueExport(
  services: DatasetsServices,
  { access, caller, request, idempotency }: ExportCall,
): Promise<string> {
  const { runs, store, now } = services
  const namespace = access.namespace as DnsLabel
  await caller.review('list', 'runs', { namespace })
  const sealed = await runs.sealAccess(await caller.review('get', 'runs', { namespace }), {
    expiresInSeconds: DAY_SECONDS,
  })
  const { namespaceUid } = await placeOfDataset(services, access, request.dataset)
  const prepared = await runs.prepare(caller, access, {
    executor: { kind: 'export', namespace, object: request.dataset },
    input: request,
    // Lists of runs leave out the input.
    labels: { dataset: request.dataset },
    trigger: 'export',
    idempotency,
  })
  return store.transact(async (tx) => {
    const { runId } = await runs.queueIn(tx, prepared)
    await insertExport(tx, {
      run_id: runId,
      namespace,
      namespace_uid: namespaceUid,
      dataset: request.dataset,
      into_dataset: request.into,
      sealed_access: sealed,
      created_by: caller.username,
      created_at: now(),
    })
    return runId
  })
}

function download({ store }: DatasetsServices): AnyEndpoint {
  const db = store.reader<DatasetsTables>()
  return endpoint({
    method: 'GET',
    url: '/datasets/:name/exports/:runId',
    id: 'getDatasetExport',
    summary:
      'Get the file of an export as lines of JSON, one case each, until its retention ends. An import accepts it.',
    authz: reviewOf('get'),
    params: ExportParams,
    query: DatasetQuery,
    response: { 200: ExportLines },
    stream: true,
    handle: async ({ access: { namespace }, params: { name, runId }, reply }) => {
      const found = uuid.test(runId) ? await findExport(db, runId) : undefined
      if (found?.namespace !== namespace || found.dataset !== name || found.into_dataset !== null)
        throw new Fail('not_found', 'The dataset has no file of such an export.')
      if (found.finished_at === null) throw new Fail(datasetErrors.export_not_finished)
      reply.header('content-type', 'application/x-ndjson; charset=utf-8')
      reply.header('content-disposition', `attachment; filename="${name}.ndjson"`)
      return exportLines(db, runId)
    },
  })
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
