import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createNatsBus } from '#core/messaging/bus/nats-bus.ts'
import { until } from '#test/chaos/until.ts'
import { freePort } from '#test/harness/free-port.ts'
import { startNats } from '#test/harness/nats.ts'
import type { NatsServer } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { apiOf, at } from './api.ts'
import type { Api } from './api.ts'
import { makeApiServer } from './api-server.ts'
import { makeCaller } from './callers.ts'
import { startCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { buildImages, openGuide } from './guide.ts'
import type { Guide } from './guide.ts'
import { explained, ownedDatabase, serviceAddress } from './install.ts'
import { startModelServer } from './model-server.ts'
import { startSteadyRuns } from './steady-runs.ts'

type Profile = 'open' | 'hardened'

interface Site {
  readonly cluster: Cluster
  readonly nats: NatsServer
  readonly guide: Guide
  /** The guide with the version to upgrade to. */
  readonly next: Guide
  readonly overlay: string
  readonly developer: Api
}

const registry = 'registry.example.org/team'
const system = ['-n', 'mesh-system']

test(
  'PODA4, PODA6, PODA14, PODA15: the profile open, by the commands of install.md',
  { timeout: 600_000 },
  async (t) => {
    const site = await install(t, 'open')
    await explained(site.cluster, async () => {
      await changeUnderRuns(t, site)
      await site.guide.run('Backup', 'Restore')
      const restored = startSteadyRuns(t, await developerOf(site.cluster))
      await until('runs are accepted after the restore', () => restored.accepted.length > 2)
      assertSucceeded(await restored.ended())
      await site.guide.run('Uninstall')
      const left = await site.cluster.kubectl(['get', 'crd,clusterrole,clusterrolebinding', '-o', 'name'])
      assert.doesNotMatch(left, /mesh/)
    })
  },
)

test(
  'PODA4, PODA15, PODA25: the profile hardened, with the audit webhook, by install.md',
  { timeout: 600_000 },
  async (t) => {
    const apiServer = makeApiServer(t)
    const site = await install(t, 'hardened', apiServer.programs)
    await explained(site.cluster, async () => {
      await assertBoundToTeam(site)
      await changeUnderRuns(t, site)
      await site.next.run('Audit webhook')
      const folder = join(site.guide.folder, 'mesh-audit')
      await apiServer.restartWith(site.cluster, [
        `--audit-policy-file=${folder}/policy.yaml`,
        `--audit-webhook-config-file=${folder}/webhook.kubeconfig.yaml`,
        '--audit-webhook-mode=batch',
        '--audit-webhook-batch-max-wait=1s',
      ])
      await assertExactActor(site)
    })
  },
)

/** Follows the page up to the first response of an agent. */
async function install(t: TestContext, profile: Profile, programs?: string): Promise<Site> {
  const images = tempFolder('images')
  t.after(images.remove)
  const archives: string[] = []
  for (const VERSION of ['1.0.0', '1.0.1']) {
    const IMAGES = join(images.path, VERSION)
    await buildImages({ REGISTRY: registry, VERSION, IMAGES })
    archives.push(join(IMAGES, 'mesh-platform.tar'), join(IMAGES, 'mesh-launcher.tar'))
  }
  const cluster = await startCluster(t, process.env['MESH_TEST_CLUSTER'] ?? '', archives, programs)
  const address = cluster.hostAddress
  const [postgres, nats] = await Promise.all([startPostgres(t, { address }), startNats(t, { address })])
  const model = await startModelServer(t, address)
  const variables = {
    KUBECONFIG: cluster.kubeconfig,
    PROFILE: profile,
    REGISTRY: registry,
    VERSION: '1.0.0',
    DATABASE_URL: await ownedDatabase(postgres, address),
    NATS_URL: nats.url,
    MODEL_URL: model.url,
    MODEL_KEY: 'a-key-of-the-test',
    PORT: String(await freePort()),
  }
  const guide = openGuide(t, variables)
  const overlay = join(guide.folder, 'deploy', 'overlays', 'mine')
  const site = {
    cluster,
    nats,
    guide,
    next: guide.with({ VERSION: '1.0.1', AUDIT_DIR: join(guide.folder, 'mesh-audit') }),
  }
  await guide.run('Overlay')
  appendFileSync(join(overlay, 'mesh.yaml'), `outbound: { allow: [${address}] }\n`)
  await explained(site.cluster, async () => {
    await guide.run('Connections', 'Apply', 'People', 'First model')
    assert.match(await guide.run('First agent'), /"output":"Hello\."/)
    await guide.run('Expose it with TLS')
  })
  assert.deepEqual([...model.keys], [variables.MODEL_KEY])
  return { ...site, overlay, developer: await developerOf(cluster) }
}

/** Upgrades version and settings, rotates keys and stops NATS. No run may fail. */
async function changeUnderRuns(
  t: TestContext,
  { cluster, nats, guide, next, overlay, developer }: Site,
): Promise<void> {
  const keysBefore = await publishedKeys(cluster)
  const runs = startSteadyRuns(t, developer)
  await guide.run('Rotate in a cluster')
  appendFileSync(join(overlay, 'mesh.yaml'), 'logLevel: warn\n')
  await next.run('Apply the new version')
  const pods = await cluster.kubectl([...system, 'get', 'pods', '-l', 'mesh.dev/role', '-o', 'jsonpath={..image}'])
  assert.match(pods, /mesh-platform:1\.0\.1/)
  await nats.wipe()
  const bus = await createNatsBus({ servers: nats.url })
  t.after(() => bus.close())
  await until('the stream is there again', () => bus.verify({ durables: [] }).then(() => true))
  await until('the new key is published', async () => (await publishedKeys(cluster)) > keysBefore, 120_000)
  assertSucceeded(await runs.ended())
}

function assertSucceeded(states: ReadonlyMap<string, string>): void {
  assert.ok(states.size > 2)
  assert.deepEqual(
    [...states].filter(([, state]) => state !== 'succeeded'),
    [],
  )
}

async function publishedKeys(cluster: Cluster): Promise<number> {
  const answer = await fetch(`http://${await serviceAddress(cluster, 'mesh-state')}:3002/jwks`)
  const keys = at(await answer.json(), 'keys')
  return Array.isArray(keys) ? keys.length : 0
}

/** PODS9: in `hardened`, gateway and manager have permissions per namespace. */
async function assertBoundToTeam({ cluster }: Site): Promise<void> {
  const may = (role: string, verb: string, resource: string, namespace: string): Promise<boolean> => {
    const as = `system:serviceaccount:mesh-system:mesh-${role}`
    // `can-i` reports a refusal by its exit code.
    const asked = cluster.kubectl(['auth', 'can-i', verb, resource, '-n', namespace, '--as', as])
    return asked.then(
      () => true,
      () => false,
    )
  }
  for (const [role, verb, resource] of [
    ['manager', 'create', 'deployments'],
    ['manager', 'get', 'secrets'],
    ['gateway', 'get', 'secrets'],
  ] as const)
    assert.deepEqual(
      await Promise.all(['team-a', 'kube-system'].map((namespace) => may(role, verb, resource, namespace))),
      [true, false],
      `${role} ${verb} ${resource}`,
    )
}

/** The common name of kubectl's client certificate. Without the webhook the row would have `manager:kubectl-annotate`. */
async function assertExactActor({ cluster }: Site): Promise<void> {
  const operator = apiOf(
    `http://${await serviceAddress(cluster, 'mesh-bff')}:8080`,
    await makeCaller(cluster, 'olga', 'mesh-operator'),
  )
  const isExact = async (): Promise<boolean> => {
    await cluster.kubectl(['-n', 'team-a', 'annotate', 'modelroute', 'default', `round=${Date.now()}`, '--overwrite'])
    const { body } = await operator('GET', '/api/audit?namespace=team-a&kind=ModelRoute&limit=50')
    const items = at(body, 'items')
    return Array.isArray(items) && items.some((row) => at(row, 'actor') === 'admin' && at(row, 'actor_exact') === true)
  }
  await until('kubectl has an exact actor', isExact, 60_000)
}

async function developerOf(cluster: Cluster): Promise<Api> {
  const token = await cluster.kubectl(['-n', 'team-a', 'create', 'token', 'ci', '--duration=1h'])
  return apiOf(`http://${await serviceAddress(cluster, 'mesh-bff')}:8080`, token.trim())
}
