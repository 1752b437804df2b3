import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { migrate } from '#core/database/migrate.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import type { Database } from '#core/database/database.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { cancelRun } from '../callers/caller-runs.ts'
import type { ExecutorRun, RunExecutor } from '../contract/points.ts'
import type { PrepareRequest } from '../contract/prepared-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { signAttempt } from '../grants/grants.ts'
import { queuePrepared } from '../prepared/queue.ts'
import { robot, startRig } from '../prepared/testing/rig.ts'
import { readContent } from '../store/internal/content.ts'
import { settled, startWorker, workerServices } from '../testing/world.ts'
import { createChildRuns } from './child-runs.ts'
import type { ChildRunServices } from './child-runs.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const permission = { verb: 'create', resource: 'flows' }
const step = (input: unknown): PrepareRequest => ({
  executor: { kind: 'step', namespace: 'team' },
  input,
  trigger: 'flow',
})

/** Doubles its input. */
const stepExecutor: RunExecutor = {
  kind: 'step',
  permission: { verb: 'create', resource: 'steps' },
  execute: async ({ input, signal }) => {
    if (input !== 'hang') return { state: 'succeeded', output: Number(input) * 2 }
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  },
}

/** Two steps: the input of the second is the output of the first. */
async function twoSteps(run: ExecutorRun): ReturnType<RunExecutor['execute']> {
  const children = await run.children()
  const last = children.at(-1)
  if (last !== undefined && !terminalStates.has(last.state)) return { state: 'waiting', afterMs: 50 }
  if (children.length === 2) return { state: 'succeeded', output: last?.output }
  await queueStep(run, step(last === undefined ? run.input : last.output))
  return { state: 'waiting', afterMs: 50 }
}

async function queueStep(run: ExecutorRun, request: PrepareRequest) {
  const prepared = await run.prepareChild(request)
  await run.save({ also: async (tx) => void (await run.queueChild(tx, prepared)) })
  return prepared
}

async function startFlows(t: TestContext, database: Database, execute: RunExecutor['execute']) {
  const executors: readonly RunExecutor[] = [{ kind: 'flow', permission, execute }, stepExecutor]
  const rig = await startRig(t, database, {}, executors)
  const { world, manager } = rig
  const now = () => new Date(rig.clock.now)
  const core = { keys: rig.keys('state'), now, observed: createObserved(world.store), extensions: () => executors }
  const state = createChildRuns({
    ...world,
    core: core as unknown as Core,
    state: { ...manager, cluster: rig.admin } as ChildRunServices['state'],
  })
  /** As the route of the state role. */
  const prepare = async (runId: string, epoch: number, request: object, signedFor = runId) => {
    const token = await signAttempt(rig.keys('worker'), { runId: signedFor, agentUid: '', epoch }, now())
    const attempt = await state.attemptOf(token)
    assert.ok(attempt)
    return state.prepare(runId, attempt, { ...request })
  }
  const worker = startWorker(
    {
      ...workerServices(world, () => undefined, 60_000),
      executors,
      prepareChild: ({ run, epoch }, request) => prepare(run.id, epoch, request),
      queueChild: (tx, prepared, parentRunId) =>
        queuePrepared({ ...world, core: { keys: rig.keys('worker'), now } }, tx, prepared, { parentRunId }),
    },
    uuidV7(),
  )
  t.after(() => worker.stop())
  const withdraw = await rig.allow({ user: 'alice', namespace: 'team', resource: 'flows' })
  const start = async (input: unknown, more: Partial<PrepareRequest> = {}) => {
    const alice = await rig.caller('alice')
    const proof = await alice.review('create', 'flows', { namespace: parseLabel('n', 'team') })
    const request = { executor: { kind: 'flow', namespace: 'team' }, input, trigger: 'flow', ...more }
    const prepared = await rig.api('bff').prepare(alice, proof, request)
    return world.store.transact((tx) => rig.api('worker').queueIn(tx, prepared))
  }
  return { ...rig, prepare, start, withdraw }
}

const childrenOf = (world: Awaited<ReturnType<typeof startFlows>>['world'], runId: string) =>
  world.store
    .reader<RunsTables>()
    .selectFrom('runs_runs')
    .selectAll()
    .where('parent_run_id', '=', runId)
    .orderBy('created_at')
    .execute()

const code = (expected: string, detail?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fail, String(error))
  const [field] = error.errors
  assert.equal(error.code, expected)
  if (detail !== undefined) assert.match(`${field?.pointer ?? ''} ${field?.detail ?? ''} ${error.message}`, detail)
  return true
}

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: a second step uses the output of the first, for the subject of the run`, { skip }, async (t) => {
    const database = await open(t)
    const { world, start, allow } = await startFlows(t, database, twoSteps)
    await allow({ user: 'alice', namespace: 'team', resource: 'steps' })
    const deadline = new Date(Date.now() + 3_600_000)
    const { runId } = await start(3, { deadline: deadline.toISOString() })
    const run = await settled(world, runId, isTerminal)
    const db = world.store.reader<RunsTables>()
    assert.deepEqual([run.state, (await readContent(db, runId))?.output], ['succeeded', 12])
    const children = await childrenOf(world, runId)
    assert.deepEqual(
      children.map(({ subject, root_run_id, trace_id, trigger_kind }) => [
        subject,
        root_run_id,
        trace_id,
        trigger_kind,
      ]),
      [1, 2].map(() => ['alice', runId, run.trace_id, 'flow']),
    )
    const contents = await Promise.all(children.map(({ id }) => readContent(db, id)))
    assert.deepEqual(
      contents.map((content) => [content?.input, content?.deadline]),
      [
        [3, deadline],
        [6, deadline],
      ],
      'the deadline is inherited',
    )
  })

async function memoryFlows(t: TestContext, execute: RunExecutor['execute']) {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  return startFlows(t, database, execute)
}

/** A run whose executor waits for its cancel. */
async function heldFlow(t: TestContext, more: Partial<PrepareRequest> = {}) {
  const started = Promise.withResolvers<ExecutorRun>()
  const flows = await memoryFlows(t, async (run) => {
    started.resolve(run)
    await new Promise((resolve) => {
      for (const signal of [run.signal, run.cancelled]) signal.addEventListener('abort', resolve)
    })
    return { state: 'cancelled' }
  })
  const { runId } = await flows.start('x', more)
  return { ...flows, runId, run: await started.promise }
}

test('SEC: what the subject of a run may not do is refused to its executor', async (t) => {
  const { run, allow, account: _a, observe, withdraw } = await heldFlow(t)
  await assert.rejects(run.prepareChild(step(1)), code('forbidden', /may not create steps/))
  const withdrawSteps = await allow({ user: 'alice', namespace: 'team', resource: 'steps' })
  await run.prepareChild(step(1))
  const foreign = { kind: 'step', namespace: 'other' }
  await assert.rejects(run.prepareChild({ ...step(1), executor: foreign }), code('forbidden', /in other/))
  await assert.rejects(run.prepareChild({ agent: robot, input: 1, trigger: 'flow' }), code('forbidden', /robot/))
  await allow({ user: 'alice', namespace: 'team', name: 'robot' })
  await run.prepareChild({ agent: robot, input: 1, trigger: 'flow', revision: 3 })
  await observe('AgentDeployment', 'team', 'second', 'uid-second')
  const second = { namespace: 'team', name: 'second' }
  await assert.rejects(run.prepareChild({ agent: second, input: 1, trigger: 'flow' }), code('forbidden', /second/))
  await withdrawSteps()
  await assert.rejects(run.prepareChild(step(1)), code('forbidden'), 'the right is reviewed each time')
  await withdraw()
})

test('SEC: a hostile request for a child is refused by field', async (t) => {
  const deadline = new Date(Date.now() + 3_600_000).toISOString()
  const { run, allow } = await heldFlow(t, { deadline })
  await allow({ user: 'alice', namespace: 'team', resource: 'steps' })
  const later = new Date(Date.now() + 7_200_000).toISOString()
  const cases: readonly [object, RegExp][] = [
    [{ deadline: later }, /\/deadline must not be after the deadline of the run/],
    [{ deadline: '2020-01-01T00:00:00Z' }, /\/deadline must be in the future/],
    [{ deadline: '2999-13-41T00:00:00Z' }, /\/deadline must be a time/],
    [{ deadline: 'tomorrow' }, /\/deadline/],
    [{ input: 'x'.repeat(1024 * 1024) }, /\/input must not exceed/],
    [{ input: 'a\0b' }, /\/input must not contain U\+0000/],
    [{ input: { x: '\ud800' } }, /\/input\/x must not contain/],
    [{ executor: { kind: 'unknown', namespace: 'team' } }, /\/executor\/kind/],
    [{ executor: { kind: 'step', namespace: '../x' } }, /\/executor\/namespace/],
    [{ executor: undefined }, /\/agent/],
    [{ revision: 1 }, /\/revision/],
    [{ trigger: 'api' }, /\/trigger/],
    [{ expiresInSeconds: 1e9 }, /\/expiresInSeconds/],
    [{ runId: uuidV7() }, /\/runId/],
    [{ subject: 'bob' }, /\/subject/],
    [{ parent: { id: uuidV7() } }, /\/parent/],
  ]
  for (const [more, expected] of cases)
    await assert.rejects(run.prepareChild({ ...step(1), ...more } as PrepareRequest), code('invalid_body', expected))
})

test('SEC: only the worker that holds an executor’s run prepares its children, and only while it runs', async (t) => {
  const { world, run, runId, prepare, allow, start, api, caller } = await heldFlow(t)
  await allow({ user: 'alice', namespace: 'team', resource: 'steps' })
  await allow({ user: 'alice', namespace: 'team', name: 'robot' })
  await assert.rejects(prepare(runId, run.epoch + 1, step(1)), code('conflict'))
  const other = await start('x')
  await assert.rejects(prepare(runId, run.epoch, step(1), other.runId), code('not_found'))
  await assert.rejects(prepare('no id', run.epoch, step(1)), code('not_found'))
  const alice = await caller('alice')
  const invoke = await alice.review('create', 'agentdeployments/invoke', {
    namespace: parseLabel('n', 'team'),
    name: 'robot',
  })
  const agentRun = await api('bff').prepare(alice, invoke, { agent: robot, input: 1, trigger: 'flow' })
  await world.store.transact((tx) => api('worker').queueIn(tx, agentRun))
  await assert.rejects(prepare(agentRun.runId, 1, step(1)), code('forbidden', /executor/))
  const prepared = await run.prepareChild(step(1))
  const queue = (parentRunId?: string) =>
    world.store.transact((tx) => api('worker').queueIn(tx, prepared, { parentRunId }))
  await assert.rejects(queue(), code('prepared_run_refused', /child of another run/))
  await assert.rejects(queue(other.runId), code('prepared_run_refused', /child of another run/))
  await cancelRun(world.writer, runId, { name: 'alice', kind: 'user' })
  await assert.rejects(prepare(runId, run.epoch, step(1)), code('run_terminal'))
  await assert.rejects(queue(runId), code('run_terminal'))
})

test('a child ends with its parent: at its result, and at its deadline', async (t) => {
  const flows = await memoryFlows(t, async (run) => {
    if (run.checkpoint !== null) return { state: 'waiting', afterMs: 60_000 }
    const prepared = await run.prepareChild(step('hang'))
    await run.save({ checkpoint: {}, also: async (tx) => void (await run.queueChild(tx, prepared)) })
    return run.input === 'done' ? { state: 'succeeded', output: null } : { state: 'waiting', afterMs: 60_000 }
  })
  const { world, start, allow } = flows
  await allow({ user: 'alice', namespace: 'team', resource: 'steps' })
  const done = await start('done')
  assert.equal((await settled(world, done.runId, isTerminal)).state, 'succeeded')
  const late = await start('late', { deadline: new Date(Date.now() + 3_000).toISOString() })
  const ended = await settled(world, late.runId, isTerminal)
  assert.equal(ended.state, 'timed_out')
  const content = await readContent(world.store.reader<RunsTables>(), late.runId)
  assert.match(content?.error ?? '', /deadline/)
  for (const { runId } of [done, late]) {
    const [child, ...more] = await childrenOf(world, runId)
    assert.deepEqual(more, [])
    const state = (await settled(world, child?.id ?? '', isTerminal)).state
    assert.ok(state === 'cancelled' || (runId === late.runId && state === 'timed_out'), state)
  }
})
