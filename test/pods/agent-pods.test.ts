import assert from 'node:assert/strict'
import test from 'node:test'
import { createRunClients, namespace } from './run-clients.ts'
import type { Ended } from './run-clients.ts'
import { whatPodsSay } from './install.ts'
import { addTeam, sharedCluster } from './cluster-fixture.ts'

test(
  'O6: runs of an agent of three pods, of which one goes, all are updated and two are scaled away: each is done once',
  { timeout: 12 * 60_000 },
  async (t) => {
    const fixture = await sharedCluster()
    const { cluster } = fixture
    await addTeam(cluster, namespace)
    t.after(() => cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']))
    const clients = await createRunClients(t, fixture)
    const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      await work().catch(async (error) => {
        const [agents, platform] = await Promise.all([namespace, 'mesh-system'].map((ns) => whatPodsSay(cluster, ns)))
        throw new Error(`${name}: ${String(error)}\n${agents}\n${platform}`, { cause: error })
      })
    }
    await step('runs spread over the pods', async () => {
      await clients.apply(3)
      await clients.ready(3)
      const ended = await clients.ended(await clients.run(30, 300))
      assertDoneOnce(ended)
      assert.equal(new Set(ended.flatMap(({ pods }) => pods)).size, 3)
    })
    await step('a pod goes with runs under way', async () => {
      const ids = await clients.run(15, 3_000)
      await clients.begun(ids)
      const victim = clients.podOf(ids[0] ?? '') ?? ''
      await cluster.kubectl(['-n', namespace, 'delete', 'pod', victim, '--wait=false'])
      assertDoneOnce(await clients.ended(ids))
      const later = await clients.ended(await clients.run(15, 100))
      assertDoneOnce(later)
      assert.ok(!later.some(({ pods }) => pods.includes(victim)), 'nothing new for the pod that goes')
      await clients.ready(3)
    })
    await step('all pods are updated under runs', async () => {
      const rolled = clients.apply(3, 2).then(() => clients.ready(3))
      assertDoneOnce(await clients.ended(await runUntil(rolled, () => clients.run(1, 100))))
    })
    await step('two are scaled away under runs', async () => {
      const long = await clients.run(15, 3_000)
      await clients.begun(long)
      const scaled = clients.apply(1, 2).then(() => clients.ready(1))
      const short = await runUntil(scaled, () => clients.run(1, 100))
      assertDoneOnce(await clients.ended([...long, ...short]))
    })
  },
)

function assertDoneOnce(ended: readonly Ended[]): void {
  assert.ok(ended.length > 0)
  const odd = ended.filter(({ state, pods }) => state !== 'succeeded' || pods.length !== 1)
  assert.deepEqual(odd, [])
}

// As many at once as find all phases of a rollout with runs in progress, and no more than a busy machine answers.
const clientsAtOnce = 6

async function runUntil(end: Promise<void>, run: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const over = { yet: false }
  const ending = end.finally(() => (over.yet = true))
  const started: string[] = []
  const client = async (): Promise<void> => {
    while (!over.yet) started.push(...(await run()))
  }
  const running = Promise.all(Array.from({ length: clientsAtOnce }, client))
  // The failure of `end` is reported first. Without this handler, failed requests to a stopped cluster would hide it.
  running.catch(() => undefined)
  await ending
  await running
  return started
}
