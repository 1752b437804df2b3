import { Fail } from '#core/errors/domain-error.ts'
import type { ExecutorContext } from '#plugins/runs/contract/points.ts'
import type { RunPosition, RunFilter, SealedAccess } from '#plugins/runs/contract/api.ts'
import { caseOfRun } from '../cases/case-of-run.ts'
import type { RunCaseOptions } from '../cases/case-of-run.ts'
import { findCaseProblems, prepareCase } from '../cases/prepare-case.ts'
import type { PreparedCase } from '../cases/prepare-case.ts'
import type { DatasetsServices } from '../contract/services.ts'
import type { ExportRequest } from './export-state.ts'

/** How an export reads runs. */
export interface RunReads extends RunCaseOptions {
  readonly worker: Pick<ExecutorContext, 'list' | 'snapshot'>
  readonly access: SealedAccess
  readonly filter: ExportRequest['filter']
}

const AT_ONCE = 100
const contentOnly = { rows: 1, bytes: 1 } as const

/** The next runs of the filter, newest first: runs of agents, without those of evaluations. */
export async function listNext({ worker, access, filter = {} }: RunReads, after: RunPosition | undefined) {
  const { agent, state = 'succeeded', from, to, score } = filter
  const query: RunFilter = {
    agent,
    state,
    since: from === undefined ? undefined : new Date(from),
    until: to === undefined ? undefined : new Date(to),
    ...(score === undefined ? {} : { hasFeedback: true }),
  }
  return worker.list(access, query, { limit: AT_ONCE, after })
}

/** Those of the runs that become cases. */
export async function selectRuns(
  { feedback }: Pick<DatasetsServices, 'feedback'>,
  { filter: { score } = {} }: Pick<RunReads, 'filter'>,
  runs: readonly RunPosition[],
): Promise<ReadonlySet<string>> {
  const ids = runs.filter(({ agent, trigger }) => agent !== null && trigger !== 'eval').map(({ id }) => id)
  if (score === undefined || ids.length === 0) return new Set(ids)
  return (await feedback?.scored(ids, score)) ?? new Set()
}

/** The case of a run, or why it has none. */
export async function readCase(
  reads: RunReads,
  { id }: RunPosition,
  caseBytes: number,
): Promise<PreparedCase | 'hidden' | 'skipped'> {
  try {
    const given = await caseOfRun(await reads.worker.snapshot(reads.access, id, contentOnly), reads)
    if (given === 'hidden') return given
    const made = prepareCase(given)
    return findCaseProblems(given, made.bytes, { schemas: {}, caseBytes }).length === 0 ? made : 'skipped'
  } catch (error) {
    // Retention has removed it since it was listed.
    if (error instanceof Fail && error.code === 'not_found') return 'skipped'
    throw error
  }
}
