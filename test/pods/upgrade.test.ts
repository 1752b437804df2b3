import assert from 'node:assert/strict'
import { appendFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { KEYS_SECRET_SUFFIX } from '#schemas/names/labels.ts'
import { until } from '#test/chaos/until.ts'
import { freePort } from '#test/harness/free-port.ts'
import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { apiOf, at } from './api.ts'
import type { Api } from './api.ts'
import { makeCaller } from './callers.ts'
import { startCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { buildImages, openGuide } from './guide.ts'
import type { Guide } from './guide.ts'
import { assertKept, countsCalls, readHistory } from './history.ts'
import { explained, ownedDatabase, serviceAddress } from './install.ts'
import { startModelServer } from './model-server.ts'
import type { ModelServer } from './model-server.ts'
import { buildOlder, OLDER_COMMIT, whyOlderIsAbsent } from './older-version.ts'
import { startLoad } from './upgrade-load.ts'
import type { Load, LoadResult } from './upgrade-load.ts'

const registry = 'registry.example.org/team'
const versions = { old: '0.0.1', new: '1.0.0' } as const
const system = ['-n', 'mesh-system']
const absent = await whyOlderIsAbsent()
if (absent !== undefined) console.error(`The upgrade of real pods is NOT RUN: ${absent}`)
// Where the history has to be complete, its absence is a failure.
const skip = absent !== undefined && process.env['CI'] !== 'true' ? `NOT RUN: ${absent}` : false

interface Site {
  readonly cluster: Cluster
  readonly model: ModelServer
  /** Pages and manifests of each version, with the overlay of the same operator. */
  readonly guides: Readonly<Record<keyof typeof versions, Guide>>
}

test(
  `R2-CL-1: one apply upgrades an installation of ${OLDER_COMMIT} under load, is repeated, and rolls back by the page`,
  { timeout: 1_500_000, skip },
  async (t) => {
    const site = await installOlder(t)
    await explained(site.cluster, async () => {
      assert.notDeepEqual(await keysOfAgents(site.cluster), [], 'the older version keeps keys of agents in Secrets')
      const change = (step: string, version: keyof typeof versions, apply: () => Promise<unknown>): Promise<void> =>
        changeUnderLoad(t, site, step, async (load) => {
          await apply()
          await isServed(site.cluster, versions[version])
          await load.more(3)
        })
      const operator = await operatorOf(site.cluster)
      const history = await readHistory(operator, 'team-a')
      assert.ok(history.runs.length > 0 && history.audit.length > 0, 'the older version has runs and audit rows')
      await change('upgrade', 'new', () => site.guides.new.run('Apply the new version'))
      await assertKept(operator, history, 'team-a')
      // The older version has no plugin `cost`: calls of before are in its log only.
      const rebuild = ['exec', 'deploy/mesh-manager', '-c', 'manager', '--', 'mesh', 'rebuild', 'cost.days']
      await site.cluster.kubectl([...system, ...rebuild])
      await countsCalls(operator, 'team-a', () => site.model.bodies.length)
      await until(
        'no Secret has a key of an agent',
        async () => (await keysOfAgents(site.cluster)).length === 0,
        60_000,
      )
      const before = await podsOf(site.cluster)
      await change('repetition', 'new', () => site.guides.new.run('Apply the new version'))
      assert.deepEqual(await podsOf(site.cluster), before, 'a repeated apply replaces no pod')
      await change('rollback', 'old', () =>
        site.guides.old.ofThisVersion.run('Roll back past certificates', 'Roll back'),
      )
      await assertKept(operator, history, 'team-a')
    })
  },
)

/** Follows the pages of the older version up to the first response of an agent, with the images of both versions on the node. */
async function installOlder(t: TestContext): Promise<Site> {
  const images = tempFolder('images')
  t.after(images.remove)
  const [older] = await Promise.all([
    buildOlder(t, { registry, version: versions.old }),
    buildImages({ REGISTRY: registry, VERSION: versions.new, IMAGES: images.path }),
  ])
  const newer = ['mesh-platform.tar', 'mesh-launcher.tar'].map((file) => join(images.path, file))
  const cluster = await startCluster(t, process.env['MESH_TEST_CLUSTER'] ?? '', [...older.images, ...newer])
  const address = cluster.hostAddress
  const [postgres, nats] = await Promise.all([startPostgres(t, { address }), startNats(t, { address })])
  const model = await startModelServer(t, address)
  const variables = {
    KUBECONFIG: cluster.kubeconfig,
    REGISTRY: registry,
    DATABASE_URL: await ownedDatabase(postgres, address),
    NATS_URL: nats.url,
    MODEL_URL: model.url,
    MODEL_KEY: 'a-key-of-the-test',
    PORT: String(await freePort()),
  }
  const guides = {
    old: openGuide(t, { ...variables, VERSION: versions.old }, older.folder),
    new: openGuide(t, { ...variables, VERSION: versions.new }),
  }
  await explained(cluster, async () => {
    await guides.old.run('Overlay')
    const overlay = join('deploy', 'overlays', 'mine')
    appendFileSync(join(guides.old.folder, overlay, 'mesh.yaml'), `outbound: { allow: [${address}] }\n`)
    // The operator keeps the overlay beside the checkout of the version that it refers to.
    cpSync(join(guides.old.folder, overlay), join(guides.new.folder, overlay), { recursive: true })
    await guides.old.run('Connections', 'Apply', 'People', 'First model')
    assert.match(await guides.old.run('First agent'), /"output":"Hello\."/)
  })
  return { cluster, model, guides }
}

async function changeUnderLoad(
  t: TestContext,
  { cluster, model }: Site,
  step: string,
  change: (load: Load) => Promise<void>,
): Promise<void> {
  const started = Date.now()
  const bearer = await cluster.kubectl(['-n', 'team-a', 'create', 'token', 'ci', '--duration=1h'])
  const load = startLoad(
    t,
    {
      bearer: bearer.trim(),
      bffUrl: `http://${await serviceAddress(cluster, 'mesh-bff')}:8080`,
      gatewayUrl: `http://${await serviceAddress(cluster, 'mesh-gateway')}:4000`,
    },
    step,
  )
  await change(load)
  const result = await load.ended()
  assertOnce(result, model, step)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`${step}: ${result.runs.size} runs and ${result.calls.length} model calls in ${seconds} s, each once`)
}

function assertOnce({ runs, calls, failed }: LoadResult, model: ModelServer, step: string): void {
  assert.deepEqual(
    failed.filter((one) => !isOlderDefect(step, one)),
    [],
    `${step}: failed requests`,
  )
  const lost = [...runs].filter(([, state]) => state !== 'succeeded' && !isOlderDefect(step, state))
  assert.deepEqual(lost, [], `${step}: lost runs`)
  const received = model.bodies.map(lastMessage)
  const done = [...runs].filter(([, state]) => state === 'succeeded').map(([sent]) => sent)
  const counts = [...done, ...calls].map((sent) => [sent, received.filter((one) => one === sent).length])
  assert.deepEqual(
    counts.filter(([, count]) => count !== 1),
    [],
    `${step}: messages that the model did not receive once`,
  )
}

// Pods of the older commit respond with 500 where a migration has changed the result of a prepared statement. Later versions prepare it again.
function isOlderDefect(step: string, failure: string): boolean {
  return step === 'upgrade' && /\b500\b.*An unexpected error occurred/.test(failure)
}

function lastMessage(body: unknown): unknown {
  const messages = at(body, 'messages')
  return Array.isArray(messages) ? at(messages.at(-1), 'content') : undefined
}

async function operatorOf(cluster: Cluster): Promise<Api> {
  const bearer = await makeCaller(cluster, 'olga', 'mesh-operator')
  return apiOf(`http://${await serviceAddress(cluster, 'mesh-bff')}:8080`, bearer)
}

/** Waits until all pods of the platform and of the agent have the images of a version. */
async function isServed(cluster: Cluster, version: string): Promise<void> {
  const hasVersion = async (): Promise<boolean> => {
    const images = (await podsOf(cluster)).map((pod) => pod.slice(pod.lastIndexOf(':') + 1))
    return images.length > 1 && images.every((tag) => tag === version)
  }
  await until(`every pod has version ${version}`, hasVersion, 180_000)
}

/** Secrets with keys of agents, which versions before certificates had. */
async function keysOfAgents(cluster: Cluster): Promise<readonly string[]> {
  const names = await cluster.kubectl(['-n', 'team-a', 'get', 'secrets', '-o', 'name'])
  return names.split('\n').filter((name) => name.endsWith(KEYS_SECRET_SUFFIX))
}

/** Name and image of each pod that serves. */
async function podsOf(cluster: Cluster): Promise<readonly string[]> {
  const format = '{range .items[*]}{.metadata.name} {.spec.containers[0].image}{"\\n"}{end}'
  const listed = await Promise.all(
    [
      [...system, 'get', 'pods', '-l', 'mesh.dev/role in (bff, worker, manager, gateway, state)'],
      ['-n', 'team-a', 'get', 'pods', '-l', 'mesh.dev/agent'],
    ].map((args) => cluster.kubectl([...args, `-o=jsonpath=${format}`])),
  )
  return listed.flatMap((one) => one.trim().split('\n')).toSorted()
}
