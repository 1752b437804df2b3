import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import type { RoleModels } from '#core/role-models/role-models.ts'
import type { DatasetCase } from '#plugins/datasets/contract/api.ts'
import type { ChildRun, ExecutorResult } from '#plugins/runs/contract/points.ts'
import { createWorld } from '#plugins/runs/testing/world.ts'
import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import type { EvalsServices, ExecutionServices, ScoringCore } from '../contract/services.ts'
import type { EvalTables } from '../contract/tables.ts'
import { builtInEvaluators } from '../evaluators/built-in.ts'
import { createEvaluationExecutor, executeEvaluation } from '../execute/executor.ts'
import type { EvaluationRun } from '../execute/step.ts'
import { changeEvaluation, findEvaluation, insertEvaluation } from '../store/evaluations.ts'

const own = ['runs', 'evals'].map((name) => ({
  name,
  migrations: new URL(`../../${name}/migrations/`, import.meta.url),
}))
const namespace = { namespace: 'default', namespace_uid: 'ns-uid' }
const noOutbound: ScoringCore['outbound'] = { request: () => Promise.reject(new Error('no outbound')) }
const noModel: RoleModels = { paidBy: () => ({ chat: () => Promise.reject(new Error('no model')) }) }

/** What runs of cases do, and what evaluators reach. */
export interface EvaluationParts {
  readonly models?: RoleModels
  readonly outbound?: ScoringCore['outbound']
  readonly evaluators?: EvalsServices['evaluators']
  /** How the run of a case ends. Default: it has succeeded with its input. */
  readonly runOf?: (input: unknown) => Partial<ChildRun>
}

/**
 * The executor of evaluations on a real store. The runs of its cases end at once: they have their own tests, and benches do not measure them.
 */
export async function openEvaluations(
  t: Pick<TestContext, 'after'>,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
  parts: EvaluationParts = {},
) {
  const database = await open(t as TestContext, [{ name: 'cluster', migrations: clusterMigrations }, ...own])
  const { store } = createWorld(database)
  const cases: DatasetCase[] = []
  const services: ExecutionServices = {
    core: { log: { warn: () => undefined }, outbound: parts.outbound ?? noOutbound },
    store,
    now: () => new Date(),
    evaluators: parts.evaluators ?? (() => builtInEvaluators),
    datasets: {
      readCases: async (_snapshot, { after = '', limit = 50 } = {}) => {
        const page = cases.slice(Number(after), Number(after) + limit)
        const next = Number(after) + page.length
        return { cases: page, next: next < cases.length ? String(next) : undefined }
      },
    },
  }
  const executor = createEvaluationExecutor(services)
  const children = new Map<string, ChildRun>()
  const run = (id: string): EvaluationRun => ({
    id,
    signal: new AbortController().signal,
    cancelled: new AbortController().signal,
    save: ({ also }) => store.transact(async (tx) => also?.(tx)),
    children: async (ids = []) => ids.flatMap((one) => children.get(one) ?? []),
    prepareChild: async ({ input }) => ({ runId: uuidV7(), content: JSON.stringify(input), token: '' }),
    queueChild: async (_tx, { runId, content }) => {
      const input: unknown = JSON.parse(content)
      const ended = { runId, state: 'succeeded', output: input, error: null, failReason: null, cost: null } as const
      children.set(runId, { ...ended, ...parts.runOf?.(input) })
      return { runId, state: 'queued' }
    },
    toolsOf: async () => [],
  })
  const step = (id: string): Promise<ExecutorResult> =>
    executeEvaluation(services, run(id), { models: parts.models ?? noModel })
  return {
    database,
    store,
    executor,
    services,
    children,
    step,
    /** Stores an evaluation of these inputs, which waits for its first step. */
    start: async (inputs: readonly unknown[], spec: Partial<EvalSuiteSpec>): Promise<string> => {
      const id = uuidV7()
      cases.splice(0, cases.length, ...inputs.map(toCase))
      const suiteSpec = { datasetRef: { name: 'd' }, evaluators: [], minScore: 0.8, ...spec }
      await store.transact(async (tx) => {
        const db = tx.tables<EvalTables>()
        await insertEvaluation(db, {
          id,
          ...namespace,
          suite: 'smoke',
          suite_uid: 'suite-uid',
          suite_spec: suiteSpec,
          agent: 'robot',
          agent_uid: 'uid-1',
          revision: 2,
          revision_name: 'robot-2',
          origin: 'gate',
          min_score: suiteSpec.minScore,
          baseline_revision: null,
          created_by: 'system:serviceaccount:default:robot',
          created_at: new Date(),
          prepared: {},
        })
        const snapshot = { datasetId: uuidV7(), digest: 'sha256:0', version: null, cases: inputs.length }
        await changeEvaluation(db, id, { dataset: JSON.stringify(snapshot), prepared: null })
      })
      return id
    },
    /** Executes it to its end, and returns it. */
    finish: async (id: string) => {
      for (let steps = 0; (await step(id)).state === 'waiting'; steps++)
        if (steps > 100_000) throw new Error('the evaluation does not end')
      return findEvaluation(store.reader<EvalTables>(), id)
    },
    rows: async (id: string) => {
      const { rows } = await sql<{
        case_id: string
        run_id: string | null
        score: number | null
        error: string | null
      }>`
        select case_id, run_id, score, error from evals_cases where evaluation_id = ${id} order by case_id`.execute(
        database.root,
      )
      return rows
    },
  }
}

function toCase(input: unknown, index: number): DatasetCase {
  const id = `case-${String(index).padStart(6, '0')}`
  return { id, digest: id, inputDigest: id, input, metadata: {}, tags: [], source: { runId: uuidV7() } }
}
