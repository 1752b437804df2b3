import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { cancelRun } from '../../callers/caller-runs.ts'
import { createRun } from '../../create/create-run.ts'
import { resumeRun } from '../../interrupts/resume-run.ts'
import { LeaseLost } from '../../lifecycle/run-writer.ts'
import type { ExecutorRun, RunExecutor } from '../../contract/points.ts'
import { noCosts } from '../../store/read-costs.ts'
import { noActivity } from '../../store/read-activity.ts'
import { toDetail } from '../../read/to-run.ts'
import { readContent } from '../../store/internal/content.ts'
import { readJournal } from '../../store/reads.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import { createWorld, settled, startWorker, workerServices, worldMigrations } from '../../testing/world.ts'
import type { World } from '../../testing/world.ts'
import { createExportExecutor } from './testing/export-executor.ts'
import type { ExportInput } from './testing/export-executor.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const alice = { name: 'alice', kind: 'user' } as const

async function migrated(database: Database): Promise<Database> {
  await migrate(database, worldMigrations)
  await sql`create table x_exports_pages (run_id uuid, page integer, epoch integer, primary key (run_id, page))`.execute(
    database.root,
  )
  return database
}

interface Rig {
  readonly world: World
  readonly database: Database
  readonly executors: readonly RunExecutor[]
  readonly settings: object
}

async function start(t: TestContext, executors: readonly RunExecutor[], settings: object = {}): Promise<Rig> {
  const database = await migrated(await openMemoryStore())
  const world = createWorld(database, undefined, settings)
  const rig = { world, database, executors, settings }
  const worker = work(rig)
  t.after(async () => {
    await worker.stop()
    await database.close()
  })
  return rig
}

function work({ world, executors }: Rig, more: object = {}) {
  return startWorker({ ...workerServices(world, () => undefined, 300), executors, ...more }, uuidV7())
}

function queue(world: World, input: ExportInput, kind = 'export'): Promise<SelectedRun> {
  const runId = uuidV7()
  return createRun(world, {
    runId,
    executor: { kind, namespace: 'default' },
    namespaceUid: 'ns-uid',
    input,
    conversationId: uuidV7(),
    labels: { team: 'a' },
    trigger: { kind: 'nightly', by: 'alice' },
    subject: 'alice',
    actor: alice,
    grant: 'unsigned',
    traceparent: `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`,
  })
}

const pagesOf = async ({ root }: Database, runId: string) =>
  (
    await sql<{ page: number; epoch: number }>`select page, epoch from x_exports_pages where run_id = ${runId}
      order by page`.execute(root)
  ).rows

const detail = async (world: World, run: SelectedRun) => {
  const content = await readContent(world.store.reader<RunsTables>(), run.id)
  return toDetail(run, { ...noCosts, ...noActivity }, content && { ...content, error: content.error ?? null })
}

test('a run of an executor is journaled, and its pages are written with the journal', async (t) => {
  const calls: ExecutorRun[] = []
  const { world, database } = await start(t, [createExportExecutor({ calls })])
  const queued = await queue(world, { pages: 3 })
  const run = await settled(world, queued.id, isTerminal)
  assert.deepEqual(
    [run.state, run.agent_name, run.executor, run.subject, run.trigger_kind, run.segment],
    ['succeeded', null, 'export', 'alice', 'nightly', 1],
  )
  assert.deepEqual((await detail(world, run)).output, { pages: 3, answer: null })
  const journal = await readJournal(world.store.reader<RunsTables>(), run, 0, 1000)
  assert.deepEqual(
    journal.map(({ seq, kind }) => [seq, kind]),
    ['run.queued', 'run.started', ...Array<string>(3).fill('step.finished'), 'run.succeeded'].map((kind, n) => [
      n + 1,
      kind,
    ]),
  )
  assert.deepEqual(
    (await pagesOf(database, run.id)).map(({ page }) => page),
    [1, 2, 3],
  )
  const [call] = calls
  assert.deepEqual([call?.namespace, call?.labels, call?.segment], ['default', { team: 'a' }, 1])
  await assert.rejects(call?.save({ checkpoint: {} }) ?? assert.fail(), LeaseLost, 'the run has ended')
})

test('a pause is answered, and the next segment continues from the checkpoint', async (t) => {
  const { world, database } = await start(t, [createExportExecutor()])
  const { id } = await queue(world, { pages: 2, approve: true })
  const paused = await settled(world, id, ({ state }) => state === 'paused')
  assert.equal(paused.pause_reason, 'input_required')
  assert.equal((await pagesOf(database, id)).length, 1)
  await resumeRun(world, { username: 'bob' }, { id }, { payload: 'csv' })
  const run = await settled(world, id, isTerminal)
  assert.deepEqual([run.state, run.segment, run.subject], ['succeeded', 2, 'alice'])
  assert.deepEqual((await detail(world, run)).output, { pages: 2, answer: 'csv' })
  assert.equal((await pagesOf(database, id)).length, 2)
})

test('a cancel reaches the executor; one that ignores it is ended after runs.cancelTimeout', async (t) => {
  const { world } = await start(t, [])
  const rig = { world, executors: [createExportExecutor()] } as unknown as Rig
  const worker = work(rig, { cancelPatienceMs: 150 })
  t.after(() => worker.stop())
  for (const input of [
    { pages: 1000, pageMs: 20 },
    { pages: 1, fault: 'ignores cancel' },
  ] as const) {
    const { id } = await queue(world, input)
    await settled(world, id, ({ started }) => started)
    await cancelRun(world.writer, id, alice)
    assert.equal((await settled(world, id, isTerminal)).state, 'cancelled', JSON.stringify(input))
  }
  const unstarted = await queue(world, { pages: 1 }, 'unknown')
  await cancelRun(world.writer, unstarted.id, alice)
  assert.equal((await settled(world, unstarted.id, isTerminal)).state, 'cancelled')
})

test('faults of an executor end its run with a message of the platform', async (t) => {
  const { world } = await start(t, [createExportExecutor()], { maxAttempts: 2, runEntryBytes: 64 * 1024 })
  const cases = [
    ['throws', 'lost_worker', /could not be continued after 2 attempts/],
    ['large', 'agent_error', /runEntryBytes/],
    ['cycle', 'agent_error', /nested deeper/],
    ['no result', 'agent_error', /must be JSON/],
    ['forged result', 'agent_error', /failReason/],
    ['run entry', 'agent_error', /kind/],
  ] as const
  const runs = await Promise.all(cases.map(([fault]) => queue(world, { pages: 1, fault })))
  for (const [index, [fault, reason, message]] of cases.entries()) {
    const run = await settled(world, runs[index]?.id ?? '', isTerminal)
    const { error } = await detail(world, run)
    assert.deepEqual([fault, run.state, run.fail_reason], [fault, 'failed', reason])
    assert.match(error?.message ?? '', message)
    assert.doesNotMatch(error?.message ?? '', /private words/)
  }
})

test('a run whose kind has no executor waits for one, and fails after runs.unreachableAfter', async (t) => {
  const { world } = await start(t, [])
  const run = await settled(world, (await queue(world, { pages: 1 }, 'unknown')).id, isTerminal)
  assert.deepEqual([run.state, run.fail_reason], ['failed', 'agent_unreachable'])
  assert.match((await detail(world, run)).error?.message ?? '', /kind unknown/)
})

test('limits of a run hold for its executor: entries, stored bytes and time', async (t) => {
  const { world } = await start(t, [])
  for (const [limits, more, message] of [
    [{ runEntries: 2 }, {}, /runs.runEntries/],
    [{ runJournalBytes: 1500 }, {}, /runs.runJournalBytes/],
    [{}, { agentTimeoutMs: 100 }, /runs.agentTimeout/],
  ] as const) {
    const worker = startWorker(
      {
        ...workerServices(world, () => undefined),
        executors: [createExportExecutor()],
        limits: { ...world.settings, ...limits },
        ...more,
      },
      uuidV7(),
    )
    const run = await settled(world, (await queue(world, { pages: 50, pageMs: 10 })).id, isTerminal)
    await worker.stop()
    assert.equal(run.state, 'failed')
    assert.match((await detail(world, run)).error?.message ?? '', message)
  }
})

test('an executor that waits releases its worker and is called again from its checkpoint', async (t) => {
  let calls = 0
  const patient: RunExecutor = {
    kind: 'export',
    permission: { verb: 'create', resource: 'exports' },
    execute: async (run) => {
      calls++
      const before = (run.checkpoint as { n?: number } | null)?.n ?? 0
      if (before === 3) return { state: 'succeeded', output: before }
      await run.save({ checkpoint: { n: before + 1 } })
      return { state: 'waiting', afterMs: 1 }
    },
  }
  const { world } = await start(t, [patient])
  const run = await settled(world, (await queue(world, { pages: 1 })).id, isTerminal)
  assert.deepEqual([run.state, run.segment, calls], ['succeeded', 1, 4])
})

const servers = needs('postgres', 'initdb')

test('a killed worker is taken over from the last checkpoint, each page is written once', servers, async (t) => {
  const { world, database, spawnWorker } = await onPostgres(t)
  const { id } = await queue(world, { pages: 5 })
  const killed = spawnWorker('3')
  await once(killed, 'exit')
  assert.equal(killed.signalCode, 'SIGKILL')
  assert.deepEqual(await pagesOf(database, id), [
    { page: 1, epoch: 1 },
    { page: 2, epoch: 1 },
  ])
  await expireLeases(database)
  const worker = work({ world, database, executors: [createExportExecutor()], settings: {} })
  t.after(() => worker.stop())
  const run = await settled(world, id, isTerminal)
  assert.deepEqual([run.state, run.segment], ['succeeded', 1])
  assert.deepEqual(
    (await pagesOf(database, id)).map(({ page, epoch }) => [page, epoch > 1]),
    [1, 2, 3, 4, 5].map((page) => [page, page > 2]),
  )
})

test('a frozen worker cannot write while another worker holds its run', servers, async (t) => {
  const { world, database, spawnWorker } = await onPostgres(t)
  const { id } = await queue(world, { pages: 4 })
  const frozen = spawnWorker('3', 'freeze')
  const lineOf = createInterface(frozen.stdout)[Symbol.asyncIterator]()
  const reported = async (expected: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await lineOf.next()
      assert.ok(done !== true, `no line ${String(expected)}`)
      if (expected.test(value)) return value
    }
  }
  await reported(/^page/)
  await expireLeases(database)
  const [taken, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const beforePage = (): Promise<void> => {
    taken.resolve()
    return release.promise
  }
  const worker = work({ world, database, executors: [createExportExecutor({ beforePage })], settings: {} })
  t.after(async () => {
    release.resolve()
    await worker.stop()
  })
  await taken.promise
  const journal = await readJournal(world.store.reader<RunsTables>(), { id }, 0, 1000)
  // The run is still running, so that only the epoch of the lease can refuse the write.
  frozen.stdin.write('\n')
  assert.equal(await reported(/^outcome/), 'outcome LeaseLost')
  assert.equal((await pagesOf(database, id)).length, 2)
  assert.equal((await readJournal(world.store.reader<RunsTables>(), { id }, 0, 1000)).length, journal.length)
  release.resolve()
  assert.equal((await settled(world, id, isTerminal)).state, 'succeeded')
  assert.deepEqual(
    (await pagesOf(database, id)).map(({ page, epoch }) => [page, epoch > 1]),
    [1, 2, 3, 4].map((page) => [page, page > 2]),
  )
})

async function onPostgres(t: TestContext) {
  const url = await createDatabase(t)
  const database = await migrated(await openDatabase({ url }))
  const children: ReturnType<typeof spawn>[] = []
  t.after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await database.close()
  })
  const script = fileURLToPath(import.meta.resolve('./testing/worker-process.ts'))
  const spawnWorker = (...args: readonly string[]) => {
    const child = spawn(process.execPath, [script, url, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    return child
  }
  return { world: createWorld(database), database, spawnWorker }
}

async function expireLeases(database: Database): Promise<void> {
  const past = sql`clock_timestamp() - interval '1 second'`
  await sql`update runs_lease set expires_at = ${past} where state = 'ready'`.execute(database.root)
}
