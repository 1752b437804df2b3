import { Fail } from '#core/errors/domain-error.ts'
import type { ExecutorContext, ExecutorResult, ExecutorRun, RunExecutor } from '#plugins/runs/contract/points.ts'
import type { RunPosition } from '#plugins/runs/contract/api.ts'
import { createRedactors } from '../cases/case-of-run.ts'
import type { PreparedCase } from '../cases/prepare-case.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { DatasetsTables } from '../contract/tables.ts'
import { findExport, stageCases } from '../store/exports.ts'
import type { SelectedExport } from '../store/exports.ts'
import { toExportState } from './export-state.ts'
import type { ExportRequest, ExportState } from './export-state.ts'
import { publishCases } from './publish-cases.ts'
import { listNext, readCase, selectRuns } from './read-page.ts'
import type { RunReads } from './read-page.ts'

/** Bytes of cases in one transaction and in memory. */
const PAGE_BYTES = 2 * 1024 * 1024
const DEFAULT_LIMIT = 1_000

type ExportServices = Pick<DatasetsServices, 'store' | 'settings' | 'now' | 'feedback'>

/**
 * Executes exports. Pages of cases are staged with the checkpoint in one transaction, so that another worker continues after the last one; a dataset
 * or file shows the cases once all of them are there.
 */
export function createExportExecutor(services: ExportServices): RunExecutor {
  return {
    kind: 'export',
    permission: { verb: 'create', resource: 'datasets' },
    execute: (run, worker) => executeExport(services, run, worker),
  }
}

async function executeExport(
  services: ExportServices,
  run: ExecutorRun,
  worker: ExecutorContext,
): Promise<ExecutorResult> {
  const row = await findExport(services.store.reader<DatasetsTables>(), run.id)
  if (row === undefined) return failed('The export was removed.')
  // Another worker has finished it, but not returned.
  if (row.output !== null) return { state: 'succeeded', output: JSON.parse(row.output) as unknown }
  try {
    const request = run.input as ExportRequest
    const state = await stageRuns(services, run, readsOf(request, row, worker))
    if (state === 'cancelled') return { state }
    return { state: 'succeeded', output: await publishCases(services, run, request, { row, state }) }
  } catch (error) {
    // A refusal of the domain is the same at each attempt; other errors are retried.
    if (error instanceof Fail) return failed(error.message)
    throw error
  }
}

function failed(message: string): ExecutorResult {
  return { state: 'failed', failReason: 'agent_error', message }
}

function readsOf(
  { filter, redaction, expected }: ExportRequest,
  row: SelectedExport,
  worker: ExecutorContext,
): RunReads {
  return { worker, access: row.sealed_access, filter, expected, redactors: createRedactors(redaction?.redact ?? []) }
}

/** Stages the cases of every run of the filter, from the checkpoint on. */
async function stageRuns(
  services: ExportServices,
  run: ExecutorRun,
  reads: RunReads,
): Promise<ExportState | 'cancelled'> {
  const limit = reads.filter?.limit ?? DEFAULT_LIMIT
  let state = toExportState(run.checkpoint)
  while (state.staged < limit) {
    const page = await listNext(reads, keyOf(state))
    const wanted = await selectRuns(services, reads, page)
    for (let at = 0; at < page.length && state.staged < limit;) {
      if (run.cancelled.aborted) return 'cancelled'
      const part = await readPart(services, reads, { page: page.slice(at), wanted, most: limit - state.staged })
      state = await saveStaged(run, state, part)
      at += part.read
      run.progress({ done: state.staged, message: `${state.runs} runs read, ${state.staged} cases` })
    }
    if (page.length === 0) break
  }
  return state
}

function keyOf({ after }: ExportState): RunPosition | undefined {
  return after === undefined
    ? undefined
    : { id: after.id, createdAt: new Date(after.createdAt), agent: null, trigger: '' }
}

interface Page {
  readonly page: readonly RunPosition[]
  readonly wanted: ReadonlySet<string>
  /** Maximum number of cases. */
  readonly most: number
}

interface Part {
  /** Listed runs that are done with this part. */
  readonly read: number
  readonly last: RunPosition | undefined
  readonly cases: readonly PreparedCase[]
  readonly hidden: number
  readonly skipped: number
}

/** Reads runs of a page until their cases fill a transaction. */
async function readPart({ settings }: ExportServices, reads: RunReads, { page, wanted, most }: Page): Promise<Part> {
  const cases: PreparedCase[] = []
  const counts = { hidden: 0, skipped: 0 }
  let [read, bytes] = [0, 0]
  for (const listed of page) {
    if (cases.length >= most || bytes >= PAGE_BYTES) break
    read++
    if (!wanted.has(listed.id)) continue
    const made = await readCase(reads, listed, settings.caseBytes)
    if (typeof made === 'string') counts[made]++
    else {
      cases.push(made)
      bytes += made.bytes
    }
  }
  return { read, last: page[read - 1], cases, ...counts }
}

async function saveStaged(run: ExecutorRun, before: ExportState, part: Part): Promise<ExportState> {
  const { last, cases, hidden, skipped } = part
  const state = {
    after: last === undefined ? before.after : { id: last.id, createdAt: last.createdAt.toISOString() },
    runs: before.runs + cases.length + hidden + skipped,
    staged: before.staged + cases.length,
    hidden: before.hidden + hidden,
    skipped: before.skipped + skipped,
  }
  await run.save({ checkpoint: state, also: (tx) => stageCases(tx, run.id, before.staged, cases) })
  return state
}
