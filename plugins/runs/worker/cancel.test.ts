import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { Database } from '#core/database/database.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated } from '#core/database/testing/databases.ts'
import { isAlive, launch, until } from '#launcher/testdata/launch.ts'
import { nodeAgent } from '#launcher/testdata/node-agent.ts'
import type { LaunchOptions } from '#launcher/testdata/launch.ts'
import { calls, chunk, open, startModelServer } from '#launcher/testdata/model-server.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { needs } from '#test/harness/find-server.ts'
import { runsConsumers } from '../consumers.ts'
import { cancelRun } from '../callers/caller-runs.ts'
import { resumeRun } from '../interrupts/resume-run.ts'
import { readJournal } from '../store/reads.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { createWorld, workerServices, queueRun, settled, startWorker, worldMigrations } from '../testing/world.ts'
import type { World } from '../testing/world.ts'

const options = needs('postgres', 'initdb')
const alice = { name: 'alice', kind: 'user' } as const
const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const workerScript = fileURLToPath(import.meta.resolve('../testing/worker-process.ts'))

async function openWorld(t: TestContext) {
  const url = await createMigrated(t, worldMigrations)
  const database = await openDatabase({ url })
  t.after(() => database.close())
  const bus = createMemoryBus()
  return { url, database, bus, world: createWorld(database, bus) }
}

async function start(t: TestContext, launching: LaunchOptions) {
  const opened = await openWorld(t)
  const launched = await launch(t, launching)
  const worker = startWorker(
    workerServices(opened.world, () => launched.url),
    'one',
  )
  t.after(() => worker.stop())
  return { ...opened, launched, worker }
}

/** Cancels the run and returns its end. */
async function cancel(world: World, run: SelectedRun): Promise<SelectedRun> {
  await cancelRun(world.writer, run.id, alice)
  return settled(world, run.id, isTerminal)
}

async function kindsOf(world: World, run: SelectedRun): Promise<string[]> {
  return (await readJournal(world.store.reader<RunsTables>(), run, 0, 1000)).map(({ kind }) => kind)
}

/** An upstream that sends until its connection is closed; counts open connections and sent chunks. */
function createMeter() {
  const meter = { open: 0, opened: 0, sent: 0 }
  const drip = (response: ServerResponse, send: () => void): void => {
    meter.open++
    meter.opened++
    const timer = setInterval(() => {
      send()
      meter.sent++
    }, 5)
    response.on('close', () => {
      clearInterval(timer)
      meter.open--
    })
  }
  return { meter, drip }
}

const builtIn = (gateway: string, more: Partial<LaunchOptions['config']> = {}): LaunchOptions => ({
  config: { model: { route: 'slow' }, ...more },
  env: { MODEL_GATEWAY_URL: gateway },
})

test(
  'cancel in the middle of a stream: the call is aborted and recorded as failed, and no call follows',
  options,
  async (t) => {
    const { meter, drip } = createMeter()
    const model = await startModelServer(t, [
      (response) => {
        open(response)
        drip(response, () => chunk(response, { content: 'word ' }))
      },
    ])
    const { world } = await start(t, builtIn(model.url))
    const run = await queueRun(world, 'Talk.')
    await until(() => meter.sent > 20, 'the model talks')
    const ended = await cancel(world, run)
    assert.deepEqual([ended.state, meter.open, meter.opened], ['cancelled', 0, 1])
    const { sent } = meter
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(meter.sent, sent)
    const after = await findRun(world.store.reader<RunsTables>(), run.id)
    assert.deepEqual([after?.input_tokens, after?.output_tokens, after?.version], [0, 0, ended.version])
    const kinds = await kindsOf(world, run)
    assert.equal(kinds.at(-1), 'run.cancelled')
    assert.equal(kinds.filter((kind) => kind === 'usage.reported').length, 1, 'the aborted call, without tokens')
    assert.equal(model.requests.length, 1, 'no further call')
  },
)

test(
  'cancel in the middle of a tool call: the call is aborted, and the model is not called again',
  options,
  async (t) => {
    const { meter, drip } = createMeter()
    // Replaces a tool: accepts the call and never answers.
    const state = await startModelServer(t, [(response) => drip(response, () => undefined)])
    const model = await startModelServer(t, [calls({ name: 'delegate', args: { agent: 'back', input: 'x' } })])
    const launching = builtIn(model.url, { delegates: ['back'] })
    const { world } = await start(t, { ...launching, env: { ...launching.env, STATE_URL: state.url } })
    const run = await queueRun(world, 'Delegate.')
    await until(() => meter.open === 1, 'the tool is called')
    const ended = await cancel(world, run)
    assert.deepEqual([ended.state, meter.open, model.requests.length], ['cancelled', 0, 1])
  },
)

test(
  'cancel of an agent that ignores it: its process is killed after the grace period, and its upstream is closed',
  options,
  async (t) => {
    const { meter, drip } = createMeter()
    const upstream = createServer((_, response) => drip(response, () => response.write('word ')))
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    t.after(() => {
      upstream.closeAllConnections()
      upstream.close()
    })
    const { world, launched } = await start(t, {
      command: nodeAgent,
      env: { AGENT_STUBBORN: 'true', MESH_CANCEL_GRACE_SECONDS: '0.1' },
    })
    const value = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    const run = await queueRun(world, { do: 'pull', value })
    await until(() => meter.sent > 5, 'the agent pulls')
    const [, , pid] = (launched.notes().find((note) => note.startsWith(`invoke ${run.id}`)) ?? '').split(' ')
    const ended = await cancel(world, run)
    assert.deepEqual([ended.state, isAlive(Number(pid))], ['cancelled', false])
    await until(() => meter.open === 0, 'the connection of the killed process is closed')
    assert.equal(meter.opened, 1)
  },
)

test('cancel of a run that is queued, paused or waits for a busy agent: it is not invoked', options, async (t) => {
  const { world, launched, worker } = await start(t, { command: nodeAgent, env: { AGENT_CANCELS: 'true' } })
  const paused = await queueRun(world, { do: 'ask' })
  await settled(world, paused.id, ({ state }) => state === 'paused')
  assert.equal((await cancel(world, paused)).state, 'cancelled')
  const busy = await queueRun(world, { do: 'hang' })
  await until(() => launched.notes().some((note) => note.startsWith(`invoke ${busy.id}`)), 'the agent is busy')
  const waiting = await queueRun(world, { do: 'echo' })
  await settled(world, waiting.id, ({ started }) => started)
  assert.equal((await cancel(world, waiting)).state, 'cancelled')
  assert.equal((await cancel(world, busy)).state, 'cancelled')
  await worker.stop()
  const queued = await queueRun(world, { do: 'echo' })
  await cancelRun(world.writer, queued.id, alice)
  const next = startWorker(
    workerServices(world, () => launched.url),
    'next',
  )
  t.after(() => next.stop())
  assert.equal((await settled(world, queued.id, isTerminal)).state, 'cancelled')
  const invoked = launched.notes().filter((note) => note.startsWith('invoke'))
  assert.deepEqual(
    invoked.map((note) => note.split(' ')[1]),
    [paused.id, busy.id],
  )
})

async function killedWorker(t: TestContext, url: string, origin: string, when: () => Promise<unknown>): Promise<void> {
  const worker = spawn(process.execPath, [workerScript, url, origin], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => worker.kill('SIGKILL'))
  const exited = once(worker, 'exit')
  await once(worker.stdout, 'data')
  await when()
  worker.kill('SIGKILL')
  await exited
}

/** Expires the lease of a killed worker now instead of after thirty seconds. */
async function expireLeases(database: Database): Promise<void> {
  await sql`update runs_lease set expires_at = clock_timestamp() - interval '1 second' where state = 'ready'`.execute(
    database.db,
  )
}

test('cancel of a run whose worker is dead: the next worker stops the agent', options, async (t) => {
  const { url, database, world } = await openWorld(t)
  const launched = await launch(t, {
    command: nodeAgent,
    env: { AGENT_STUBBORN: 'true', MESH_CANCEL_GRACE_SECONDS: '0.1' },
  })
  const run = await queueRun(world, { do: 'deaf' })
  const invoked = (): string | undefined => launched.notes().find((note) => note.startsWith(`invoke ${run.id}`))
  await killedWorker(t, url, launched.url, () => until(() => invoked() !== undefined, 'the agent was invoked'))
  await cancelRun(world.writer, run.id, alice)
  await expireLeases(database)
  const next = startWorker(
    workerServices(world, () => launched.url),
    'next',
  )
  t.after(() => next.stop())
  assert.equal((await settled(world, run.id, isTerminal)).state, 'cancelled')
  assert.equal(isAlive(Number(invoked()?.split(' ')[2])), false, 'the process that worked on it is gone')
})

test(
  'cancel cascades by event: children and grandchildren, each once, with the actor of the request',
  options,
  async (t) => {
    const { database, bus, world } = await openWorld(t)
    const consumers = runsConsumers(world.writer)
    const running = await runConsumers({ store: world.store, database, bus, consumers, sweepEveryMs: 3_600_000 })
    t.after(() => running.stop())
    const parent = await queueRun(world, 1)
    const child = await queueRun(world, 2, 'c', parent)
    const grandchild = await queueRun(world, 3, 'c', child)
    const other = await queueRun(world, 4)
    // The cancelling process commits only this, and may end a moment later.
    await cancelRun(world.writer, parent.id, alice)
    for (const { id } of [child, grandchild]) {
      await running.sweepNow()
      await settled(world, id, ({ state }) => state === 'cancelling')
    }
    const rows = await database.db
      .selectFrom('events')
      .select(['stream', 'actor_name'])
      .where('type', '=', 'dev.mesh.runs.cancel-requested.v1')
      .orderBy('position')
      .execute()
    assert.deepEqual(
      rows.map(({ stream }) => stream),
      [parent, child, grandchild].map(({ id }) => `runs/${id}`),
    )
    for (const row of rows) assert.equal(row.actor_name, 'alice')
    assert.equal((await findRun(world.store.reader<RunsTables>(), other.id))?.state, 'queued')
    await assert.rejects(queueRun(world, 5, 'c', grandchild), { code: 'run_terminal' })
  },
)

test(
  'an approval is applied once, also after a kill -9 of worker and launcher before it takes effect',
  options,
  async (t) => {
    const { url, database, world } = await openWorld(t)
    const first = await launch(t, { command: nodeAgent })
    const run = await queueRun(world, { do: 'ask' })
    const isPaused = ({ state }: SelectedRun): boolean => state === 'paused'
    await killedWorker(t, url, first.url, () => settled(world, run.id, isPaused))
    const decide = () => resumeRun(world, { username: 'alice' }, run, { payload: 'blue' })
    const decided = await Promise.allSettled(Array.from({ length: 10 }, decide))
    const refused = decided.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 9, 'decided once')
    for (const one of refused)
      assert.ok(one.status === 'rejected' && (one.reason as { code?: string }).code === 'run_not_paused')
    first.kill('SIGKILL')
    await first.exited
    await expireLeases(database)
    const second = await launch(t, { command: nodeAgent })
    const next = startWorker(
      workerServices(world, () => second.url),
      'next',
    )
    t.after(() => next.stop())
    const ended = await settled(world, run.id, isTerminal)
    assert.deepEqual([ended.state, ended.segment], ['succeeded', 2])
    for (const launched of [first, second])
      assert.equal(launched.notes().filter((note) => note.startsWith(`invoke ${run.id}`)).length, 1)
  },
)
