import type { Tx } from '#core/event-store/store.ts'
import type { ExecutorRun } from '#plugins/runs/contract/points.ts'
import { findCaseProblems } from '../cases/prepare-case.ts'
import type { PreparedCase } from '../cases/prepare-case.ts'
import type { WriteServices } from '../contract/services.ts'
import type { DatasetsTables, SelectedDataset } from '../contract/tables.ts'
import { finishExport, readStaged } from '../store/exports.ts'
import type { SelectedExport } from '../store/exports.ts'
import { fieldsOf, openDataset } from '../writes/change-dataset.ts'
import { writeCases } from '../writes/write-cases.ts'
import type { ExportOutput, ExportRequest, ExportState } from './export-state.ts'

/** An export whose cases are staged. */
export interface StagedExport {
  readonly row: SelectedExport
  readonly state: ExportState
}

/** Shows the staged cases at once: in a dataset, or as a file. Returns the output of the run, which is stored with them. */
export async function publishCases(
  services: WriteServices,
  run: ExecutorRun,
  { dataset, into }: ExportRequest,
  { row, state }: StagedExport,
): Promise<ExportOutput> {
  const { staged, runs, hidden, skipped } = state
  const { namespace } = row
  const file = into === null ? `/api/datasets/${dataset}/exports/${run.id}?namespace=${namespace}` : null
  let output: ExportOutput | undefined
  await run.save({
    also: async (tx) => {
      const { created, unchanged, refused } =
        into === null
          ? { created: staged, unchanged: 0, refused: 0 }
          : await fillDataset(services, tx, { row, into, runId: run.id })
      const target = { namespace, name: into ?? dataset }
      output = { cases: created, runs, unchanged, hidden, skipped: skipped + refused, dataset: target, file }
      await finishExport(tx, row, output, services.now())
    },
  })
  if (output === undefined) throw new Error('the export was not stored')
  return output
}

interface Target {
  readonly row: SelectedExport
  readonly into: string
  readonly runId: string
}

async function fillDataset(services: WriteServices, tx: Tx, { row, into, runId }: Target) {
  const place = { namespace: row.namespace, name: into, namespaceUid: row.namespace_uid, by: row.created_by }
  const { dataset } = await openDataset(services, tx, place)
  const refused = { count: 0 }
  const pages = fitting(services, dataset, readStaged(tx.tables<DatasetsTables>(), runId), refused)
  const written = await writeCases(services, { tx, dataset }, pages, {
    by: row.created_by,
    way: 'export',
    runId,
    keeps: true,
  })
  return { ...written, refused: refused.count }
}

/** The cases that match the schemas of the dataset. */
async function* fitting(
  { settings: { caseBytes } }: WriteServices,
  dataset: SelectedDataset,
  pages: AsyncIterable<readonly PreparedCase[]>,
  refused: { count: number },
): AsyncGenerator<readonly PreparedCase[]> {
  const { inputSchema, expectedSchema } = fieldsOf(dataset)
  const rules = { schemas: { input: inputSchema ?? undefined, expected: expectedSchema ?? undefined }, caseBytes }
  const isFree = rules.schemas.input === undefined && rules.schemas.expected === undefined
  for await (const page of pages) {
    const kept = isFree ? page : page.filter((made) => findCaseProblems(valuesOf(made), made.bytes, rules).length === 0)
    refused.count += page.length - kept.length
    yield kept
  }
}

function valuesOf({ input, expected }: PreparedCase) {
  return {
    input: JSON.parse(input) as unknown,
    ...(expected === null ? {} : { expected: JSON.parse(expected) as unknown }),
  }
}
