import assert from 'node:assert/strict'
import test from 'node:test'
import type { ServiceEndpoints } from '#core/cluster/endpoint-slices.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { launch } from '#launcher/testdata/launch.ts'
import { nodeAgent } from '#launcher/testdata/node-agent.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { readContent } from '../store/internal/content.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { launcherService, launchersOfRevision } from './connections/choose-launcher.ts'
import type { WorkerServices } from './segment/worker-services.ts'
import {
  createWorld,
  queueRun,
  queueRunOf,
  settled,
  startWorker,
  workerServices,
  worldMigrations,
} from '../testing/world.ts'

const isTerminal = (run: SelectedRun): boolean => terminalStates.has(run.state)

test('a run of a named revision starts in a pod of that revision only', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, worldMigrations)
  const world = createWorld(database)
  const pods = await Promise.all(
    ['7', '8'].map((revision) => launch(t, { command: nodeAgent, env: { MESH_AGENT_REVISION: revision } })),
  )
  const worker = startWorker(
    workerServices(world, () => pods.map(({ url }) => ({ id: url, url, ready: true })), 8_000),
    'one',
  )
  t.after(() => worker.stop())
  const runs = await Promise.all(
    [7, 8, 7, 8, 8, 7].map((revision) => queueRunOf(world, { input: { do: 'echo' }, revision })),
  )
  const ended = await Promise.all(runs.map(({ id }) => settled(world, id, isTerminal)))
  assert.deepEqual(
    ended.map(({ state, agent_revision }) => [state, agent_revision]),
    [7, 8, 7, 8, 8, 7].map((revision) => ['succeeded', revision]),
  )
  const absent = await settled(world, (await queueRunOf(world, { input: { do: 'echo' }, revision: 9 })).id, isTerminal)
  assert.deepEqual([absent.state, absent.fail_reason, absent.segment], ['failed', 'agent_unreachable', 0])
  const content = await readContent(world.store.reader<RunsTables>(), absent.id)
  assert.match(content?.error ?? '', /^Revision 9 of default\/robot does not run/)
  assert.equal((await settled(world, (await queueRun(world, { do: 'echo' })).id, isTerminal)).state, 'succeeded')
})

test('a run of a revision that does not run fails at once, and no pod is asked', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, worldMigrations)
  const world = createWorld(database)
  const { url } = await launch(t, { command: nodeAgent, env: { MESH_AGENT_REVISION: '8' } })
  const asked: string[] = []
  const services: WorkerServices & { close(): Promise<void> } = {
    ...workerServices(world, () => [{ id: url, url, ready: true }]),
    readiness: async ({ id }) => {
      asked.push(id)
      return { outcome: 'never', reason: 'RevisionNotRunning' }
    },
  }
  const worker = startWorker(services, 'one')
  t.after(() => worker.stop())
  const begin = performance.now()
  const bound = await settled(world, (await queueRunOf(world, { input: { do: 'echo' }, revision: 9 })).id, isTerminal)
  assert.ok(performance.now() - begin < 30_000, 'before it counts as unreachable')
  assert.deepEqual([bound.state, bound.fail_reason, bound.segment], ['failed', 'agent_unreachable', 0])
  const content = await readContent(world.store.reader<RunsTables>(), bound.id)
  assert.match(content?.error ?? '', /the revision that the run names neither serves nor is a candidate/)
  assert.equal((await settled(world, (await queueRun(world, { do: 'echo' })).id, isTerminal)).state, 'succeeded')
  assert.deepEqual(asked, [bound.id], 'a run of any revision needs no look at its agent')
})

test('pods of a candidate are asked for a run of its revision only', async () => {
  const asked: (number | undefined)[] = []
  const endpoints: ServiceEndpoints = async ({ candidate }) => {
    asked.push(candidate)
    const url = candidate === undefined ? 'service' : `candidate-${candidate}`
    return [{ id: url, url, ready: true }]
  }
  const list = async (revision: number | null) =>
    (await launchersOfRevision({ endpoints }, launcherService('default', 'robot'), revision)).map(({ id }) => id)
  assert.deepEqual(await list(null), ['service'])
  assert.deepEqual(asked, [undefined])
  assert.deepEqual(await list(8), ['candidate-8', 'service'])
})
