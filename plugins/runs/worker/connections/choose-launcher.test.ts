import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { ServiceEndpoint } from '#core/cluster/endpoint-slices.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { launch, until } from '#launcher/testdata/launch.ts'
import { nodeAgent } from '#launcher/testdata/node-agent.ts'
import type { LaunchedProcess, LaunchOptions } from '#launcher/testdata/launch.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { cancelRun } from '../../callers/caller-runs.ts'
import { resumeRun } from '../../interrupts/resume-run.ts'
import { readJournal } from '../../store/reads.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import { createWorld, queueRun, settled, startWorker, workerServices, worldMigrations } from '../../testing/world.ts'
import type { World } from '../../testing/world.ts'
import type { LauncherClient } from './launcher-client.ts'
import { createLaunchers } from './choose-launcher.ts'

const alice = { name: 'alice', kind: 'user' } as const
const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)
const toLauncher = (id: string, ready = true): ServiceEndpoint => ({ id, url: `http://${id}`, ready })

test('launchers: the preferred one first, then each in turn, only ready ones', async () => {
  let there = ['a', 'b', 'c'].map((id) => toLauncher(id))
  const connect = (at: LauncherClient['at'], isGone: () => Promise<boolean>) => ({ at, isGone }) as LauncherClient
  const list = async () => there
  const order = async (preferred: string | undefined, count: number, random = () => 0.5) => {
    const launchers = createLaunchers({ list, connect, preferred, random })
    const named: string[] = []
    for (let n = 0; n < count; n++) named.push(`${(await launchers.next())?.at.id}${launchers.hasMore() ? '+' : ''}`)
    return named.join(' ')
  }
  assert.equal(await order('c', 5), 'c+ a+ b c+ a+')
  assert.equal(await order('gone', 3), 'b+ c+ a')
  assert.equal(await order(undefined, 1, () => 0.99), 'c+')
  there = [toLauncher('a', false), toLauncher('b')]
  assert.equal(await order('a', 2), 'b b')
  const { at } = createLaunchers({ list, connect })
  assert.deepEqual([await at(toLauncher('a')).isGone(), await at(toLauncher('c')).isGone()], [false, true])
  const unknown = createLaunchers({ list: () => Promise.reject(new Error('away')), connect })
  assert.equal(await unknown.at(toLauncher('c')).isGone(), false)
  there = []
  assert.equal(await createLaunchers({ list, connect }).next(), undefined)
})

async function start(t: TestContext, ...pods: readonly LaunchOptions[]) {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, worldMigrations)
  const world = createWorld(database)
  const launched = await Promise.all(pods.map((options) => launch(t, { command: nodeAgent, ...options })))
  const there = launched.map(({ url }): ServiceEndpoint => ({ id: url, url, ready: true }))
  const work = (name: string) => {
    const worker = startWorker(
      // Longer than any test waits, so that nothing counts as unreachable.
      workerServices(world, () => there, 60_000),
      name,
    )
    t.after(() => worker.stop())
    return worker
  }
  return { world, launched, there, work }
}

const invoked = (pod: LaunchedProcess | undefined, run: SelectedRun): number =>
  pod?.notes().filter((note) => note.startsWith(`invoke ${run.id}`)).length ?? 0

const hasMessage = async (world: World, run: SelectedRun): Promise<boolean> => {
  const entries = await readJournal(world.store.reader<RunsTables>(), run, 0, 100)
  return entries.some(({ kind }) => kind === 'message.started')
}

const many = { config: { limits: { concurrency: 16 } }, env: { AGENT_CANCELS: 'true' } }

test('O6: of several pods, a worker that takes over asks the one that has the run, even if it is not ready', async (t) => {
  const { world, launched, there, work } = await start(t, many, many)
  const first = work('first')
  const runs: SelectedRun[] = []
  for (let n = 0; n < 8; n++) runs.push(await queueRun(world, { do: 'deaf' }))
  const counts = (pod: LaunchedProcess | undefined): number => runs.reduce((sum, run) => sum + invoked(pod, run), 0)
  await until(() => counts(launched[0]) + counts(launched[1]) === runs.length, 'all are at work')
  await first.stop()
  there[0] = { ...(there[0] ?? toLauncher('')), ready: false }
  work('second')
  for (const run of runs) await cancelRun(world.writer, run.id, alice)
  for (const run of runs) {
    assert.equal((await settled(world, run.id, isTerminal)).state, 'cancelled')
    assert.equal(invoked(launched[0], run) + invoked(launched[1], run), 1)
  }
  for (const pod of launched)
    await until(
      () => pod.notes().filter((note) => note.startsWith('cancel')).length === counts(pod),
      'each was cancelled',
    )
})

test('a resumed run continues at its former pod, or at another one if that is gone', async (t) => {
  const { world, launched, there, work } = await start(t, many, many)
  work('one')
  const answer = (run: SelectedRun) => resumeRun(world, { username: 'alice' }, run, { payload: 'blue' })
  const runs: SelectedRun[] = []
  for (let n = 0; n < 6; n++) runs.push(await queueRun(world, { do: 'ask' }))
  const homeless = await queueRun(world, { do: 'ask' })
  for (const run of [...runs, homeless]) await settled(world, run.id, ({ state }) => state === 'paused')
  for (const run of runs) {
    const at = launched.find((pod) => invoked(pod, run) === 1)
    await answer(run)
    assert.equal((await settled(world, run.id, isTerminal)).state, 'succeeded')
    assert.equal(invoked(at, run), 2, 'both segments at one pod')
  }
  const at = launched.findIndex((pod) => invoked(pod, homeless) === 1)
  launched[at]?.kill('SIGKILL')
  there.splice(at, 1)
  await answer(homeless)
  assert.equal((await settled(world, homeless.id, isTerminal)).state, 'succeeded')
  assert.deepEqual(
    launched.map((pod) => invoked(pod, homeless)),
    [1, 1],
  )
})

test('a run does not wait for a busy pod while another one is free', async (t) => {
  const one = { config: { limits: { concurrency: 1 } }, env: { AGENT_CANCELS: 'true' } }
  const { world, launched, work } = await start(t, one, one, one)
  work('one')
  const runs: SelectedRun[] = []
  for (let n = 0; n < 3; n++) runs.push(await queueRun(world, { do: 'hang' }))
  const invocations = () => launched.map((pod) => runs.reduce((sum, run) => sum + invoked(pod, run), 0))
  await until(() => invocations().every((count) => count === 1), 'each pod has one run')
  for (const run of runs) await cancelRun(world.writer, run.id, alice)
  for (const run of runs) assert.equal((await settled(world, run.id, isTerminal)).state, 'cancelled')
})

test('O6: the run of a pod that is gone ends as lost_worker at once, and no other pod is asked', async (t) => {
  const { world, launched, there, work } = await start(t, many, many)
  const first = work('first')
  const runs = [await queueRun(world, { do: 'hang' }), await queueRun(world, { do: 'hang' })] as const
  const [followed, takenOver] = runs
  const at = (run: SelectedRun) => launched.findIndex((pod) => invoked(pod, run) === 1)
  // The worker follows both: before that, the missing answer to its invocation would end the run as well.
  for (const run of runs) await until(() => hasMessage(world, run), 'its launcher is followed', 30_000)
  const homes = runs.map(at)
  for (const home of homes) launched[home]?.kill('SIGKILL')
  for (const home of new Set(homes))
    there.splice(
      there.findIndex(({ url }) => url === launched[home]?.url),
      1,
    )
  assert.equal((await settled(world, followed.id, isTerminal)).fail_reason, 'lost_worker')
  await first.stop()
  work('second')
  assert.equal((await settled(world, takenOver.id, isTerminal)).fail_reason, 'lost_worker')
  for (const run of runs)
    assert.equal(
      launched.reduce((sum, pod) => sum + invoked(pod, run), 0),
      1,
    )
})
