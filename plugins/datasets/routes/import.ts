import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { FileBody } from '#core/http/input/body.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { DatasetParams, DatasetQuery, ImportedCases, ImportInput } from '#schemas/api/datasets.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedDataset } from '../contract/tables.ts'
import type { ImportRow } from '../import/import-row.ts'
import { readCsv } from '../import/read-csv.ts'
import { readImport } from '../import/read-import.ts'
import { readNdjson } from '../import/read-ndjson.ts'
import { lockDataset } from '../store/datasets.ts'
import { fieldsOf } from '../writes/change-dataset.ts'
import { unknownDataset } from '../writes/refusals.ts'
import { inBatches, refuseOverfull, writeCases } from '../writes/write-cases.ts'
import { reviewOf } from './names.ts'
import { readDataset } from './open-dataset.ts'
import type { DatasetCall } from './open-dataset.ts'

const examples = {
  cases: {
    summary: 'Two cases',
    value: { cases: [{ id: 'hello', input: 'Hi', expected: 'Hello!' }, { input: 'Bye' }] },
  },
}

/** The import of cases. */
export function importEndpoint(services: DatasetsServices): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/datasets/:name/cases/import',
    id: 'importDatasetCases',
    docs: { examples },
    summary:
      'Import cases as JSON, CSV or NDJSON: all of them, or none with the errors of each row by its number. A case with a known id is replaced.',
    authz: reviewOf('create'),
    audit: { action: 'store-cases', resourceKind: 'Dataset' },
    params: DatasetParams,
    query: DatasetQuery,
    body: ImportInput,
    bodyLimit: services.settings.importBytes,
    fileTypes: ['text/csv', 'application/x-ndjson'],
    response: { 200: ImportedCases },
    handle: (call) => importRows(services, call, toRows(call.body.cases)),
    handleFile: (call) => importRows(services, call, fileRows(services, call.body)),
  })
}

function toRows(cases: readonly unknown[]): readonly ImportRow[] {
  return cases.map((value, index) => ({ row: index + 1, value }))
}

function fileRows(
  { settings }: DatasetsServices,
  { type, bytes }: FileBody,
): AsyncIterable<ImportRow> | Iterable<ImportRow> {
  if (bytes.length === 0) throw new Fail('invalid_body', 'The file is empty.')
  // JSON in a cell doubles its quotes.
  return type.toLowerCase().startsWith('text/csv') ? readCsv(bytes, 3 * settings.caseBytes) : readNdjson(bytes)
}

async function importRows(
  services: DatasetsServices,
  call: DatasetCall,
  rows: AsyncIterable<ImportRow> | Iterable<ImportRow>,
) {
  const { store, settings } = services
  const before = await readDataset(services, call)
  const { inputSchema, expectedSchema } = fieldsOf(before)
  const cases = await readImport(rows, {
    schemas: { input: inputSchema ?? undefined, expected: expectedSchema ?? undefined },
    caseBytes: settings.caseBytes,
    mostCases: settings.casesPerDataset,
  })
  return store.transact(async (tx) => {
    const dataset = await lockDataset(tx.tables<DatasetsTables>(), before)
    // Its schemas must be those that the rows were checked against.
    if (dataset?.id !== before.id || !hasSameSchemas(dataset, before))
      throw dataset === undefined
        ? unknownDataset()
        : new Fail('precondition_failed', 'The dataset was changed meanwhile.')
    await refuseOverfull(services, { tx, dataset }, cases)
    return writeCases(services, { tx, dataset }, inBatches(cases), { by: call.access.username, way: 'import' })
  })
}

function hasSameSchemas(now: SelectedDataset, before: SelectedDataset): boolean {
  return now.input_schema === before.input_schema && now.expected_schema === before.expected_schema
}
