import { sleep } from '#core/async/sleep.ts'
import type { ExecutorResult, ExecutorRun, RunExecutor } from '../../../contract/points.ts'

/** Table of the example plugin: one row for each page, regardless of the worker. */
export type ExportTables = { x_exports_pages: { run_id: string; page: number; epoch: number } }

/** Input of an export. */
export interface ExportInput {
  readonly pages: number
  /** Asks for approval before the last page. */
  readonly approve?: boolean
  /** Simulated fault. */
  readonly fault?: 'throws' | 'ignores cancel' | 'large' | 'cycle' | 'no result' | 'forged result' | 'run entry'
  readonly pageMs?: number
}

/** Observes an executor from a test. */
export interface ExportHooks {
  readonly beforePage?: (page: number, run: ExecutorRun) => Promise<void> | void
  readonly calls?: ExecutorRun[]
}

/** An executor of an example plugin: writes pages to its own table, each with its checkpoint in one transaction. */
export function createExportExecutor({ beforePage, calls }: ExportHooks = {}): RunExecutor {
  return {
    kind: 'export',
    permission: { verb: 'create', resource: 'exports' },
    async execute(run) {
      calls?.push(run)
      const input = run.input as ExportInput
      if (input.fault !== undefined) return fault(run, input.fault)
      for (let page = pageOf(run) + 1; page <= input.pages; page++) {
        if (run.cancelled.aborted) return { state: 'cancelled' }
        if (page === input.pages && input.approve === true && run.resolutions.length === 0) return ask(page - 1)
        await beforePage?.(page, run)
        await writePage(run, page)
        await sleep(input.pageMs ?? 0, run.signal)
      }
      return { state: 'succeeded', output: { pages: input.pages, answer: run.resolutions[0]?.payload ?? null } }
    },
  }
}

function writePage(run: ExecutorRun, page: number): Promise<void> {
  return run.save({
    entries: [{ kind: 'step.finished', data: { step: `page ${page}` } }],
    checkpoint: { page },
    also: async (tx) => {
      const db = tx.tables<ExportTables>()
      await db.insertInto('x_exports_pages').values({ run_id: run.id, page, epoch: run.epoch }).execute()
    },
  })
}

function pageOf({ checkpoint }: ExecutorRun): number {
  return (checkpoint as { page?: number } | null)?.page ?? 0
}

function ask(page: number): ExecutorResult {
  const interrupts = [{ id: 'q1', reason: 'input_required' as const, question: 'Which format?' }]
  return { state: 'paused', pauseReason: 'input_required', interrupts, checkpoint: { page } }
}

async function fault(run: ExecutorRun, kind: NonNullable<ExportInput['fault']>): Promise<ExecutorResult> {
  const cycle: { self?: object } = {}
  cycle.self = cycle
  switch (kind) {
    case 'throws':
      throw new Error('private words of an input')
    case 'ignores cancel':
      return new Promise(() => undefined)
    case 'large':
      await run.save({ checkpoint: 'x'.repeat(200_000) }).catch(() => undefined)
      return { state: 'succeeded', output: null }
    case 'cycle':
      return { state: 'succeeded', output: cycle }
    case 'no result':
      return undefined as unknown as ExecutorResult
    case 'forged result':
      return { state: 'failed', failReason: 'permission_revoked', message: 'x' }
    case 'run entry':
      await run.save({ entries: [{ kind: 'run.succeeded', data: {} }] }).catch(() => undefined)
      return { state: 'succeeded', output: null }
  }
}
