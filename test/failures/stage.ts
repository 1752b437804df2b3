import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { declareKeys } from '#core/host/load/plugin-keys.ts'
import { plugins } from '#plugins/index.ts'
import type { Dependency, FailureStage } from '#launcher/listeners/failure.ts'
import { launch } from '#launcher/testdata/launch.ts'
import type { LaunchedProcess } from '#launcher/testdata/launch.ts'
import { nodeAgent } from '#launcher/testdata/node-agent.ts'
import { completes, startGateway } from '#launcher/testdata/proxied-launcher.ts'
import { addBudgetedAgent, addRoutes, tokenOf } from '#plugins/budgets/testing/state-role.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { signAttempt, signGrant } from '#plugins/runs/grants.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { openLink } from '#test/chaos/proxy.ts'
import type { Link } from '#test/chaos/proxy.ts'
import { environment } from '#test/flows/platform/on-cluster.ts'
import { createDatabase } from '#test/harness/database.ts'
import { applyShipped } from '#test/harness/deploy.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { listen } from '#test/harness/listen.ts'
import { startNats } from '#test/harness/nats.ts'
import { startRedis } from '#test/harness/redis.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startRoleProcess } from './role-process.ts'

/** Launchers with everything behind them: real servers, one state role of all plugins, and a link before each dependency. */
export interface FailurePlatform {
  readonly stage: FailureStage
  readonly links: Readonly<Partial<Record<Dependency, Link>>>
  /** Starts a launcher of the agent `robot` with every port. */
  launch(): Promise<LaunchedProcess>
}

const namespace = `failures-${process.pid}`

/** Starts the platform; everything ends with the test. */
export async function startFailurePlatform(t: TestContext): Promise<FailurePlatform> {
  const folder = tempFolder('failures')
  t.after(folder.remove)
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  await applyShipped(kube, 'namespace', 'service-accounts', 'state')
  const [databaseUrl, redis, nats, gateway] = await Promise.all([
    createDatabase(t),
    startRedis(t),
    startNats(t),
    startGateway(t, completes()),
  ])
  const collector = await startCollector(t)
  const [store, cache] = [await openLink(t, portOf(databaseUrl)), await openLink(t, portOf(redis.url))]
  const stores = {
    DATABASE_URL: through(databaseUrl, store),
    REDIS_URL: through(redis.url, cache),
    NATS_URL: nats.url,
  }
  const env = await environment(folder.path, kube, stores)
  const stateUrl = await startRoleProcess(t, {
    folder: folder.path,
    env,
    token: await tokenOf(admin, 'mesh-system', 'mesh-state'),
  })
  const links = {
    'state role': await openLink(t, portOf(stateUrl)),
    'model gateway': await openLink(t, portOf(gateway.url)),
    collector: await openLink(t, portOf(collector)),
    PostgreSQL: store,
    Redis: cache,
  }
  const database = await openDatabase({ url: databaseUrl })
  t.after(() => database.close())
  const robot = await addObjects(admin, database)
  const tokenFile = join(folder.path, 'launcher-token')
  writeFileSync(tokenFile, robot.token)
  const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  return {
    links,
    stage: { runId: robot.runId, peer: 'peer', model: 'paid', newRun: newRuns(join(folder.path, 'keys'), robot.uid) },
    launch: () =>
      launch(t, {
        command: nodeAgent,
        key: privateKey,
        config: {
          namespace,
          uid: robot.uid,
          limits: { concurrency: 100 },
          plugins: { budgets: { money: true } },
        },
        env: {
          STATE_URL: through(stateUrl, links['state role']),
          MESH_STATE_TOKEN_FILE: tokenFile,
          MODEL_GATEWAY_URL: through(gateway.url, links['model gateway']),
          OTEL_EXPORTER_OTLP_ENDPOINT: through(collector, links.collector),
          FEEDBACK_PORT: '0',
          // Long enough for a slow link, and shorter than the default of 600 s.
          MESH_GATEWAY_TIMEOUT_SECONDS: '5',
          MESH_BUDGET_PORT: '0',
        },
      }),
  }
}

// The agent with a budget, an agent that it may call, and a run that it may score.
async function addObjects(admin: KubeClient, database: Database) {
  await addRoutes(admin, namespace)
  const robot = await addBudgetedAgent(admin, namespace, 'robot', { amount: '1000' })
  const peer = await addBudgetedAgent(admin, namespace, 'peer')
  await allowInvoke(admin)
  const world = createWorld(database)
  const namespaceUid = `uid-of-${namespace}`
  for (const [uid, kind, of, name] of [
    [namespaceUid, 'Namespace', '', namespace],
    [robot.uid, 'AgentDeployment', namespace, 'robot'],
    [peer.uid, 'AgentDeployment', namespace, 'peer'],
  ])
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${uid}, ${kind}, ${of}, ${name}, '1', '')`.execute(database.root)
  const agent = { namespace, name: 'robot', uid: robot.uid }
  return { ...robot, runId: (await queueRunOf(world, { agent, namespaceUid })).id }
}

async function allowInvoke(admin: KubeClient): Promise<void> {
  const metadata = { name: 'robot-invokes', namespace }
  const rules = [{ apiGroups: ['mesh.dev'], resources: ['agentdeployments/invoke'], verbs: ['create'] }]
  await apply(admin, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules } as never)
  await apply(admin, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
  } as never)
}

// Signed by the keys whose public parts the state role publishes.
function newRuns(keysDir: string, agentUid: string): FailureStage['newRun'] {
  const keys = createKeyring({ dir: keysDir, generate: declareKeys(plugins, new Set()).types })
  return async () => {
    const runId = uuidV7()
    const grant = await signGrant(keys, { runId, agentUid, subject: 'alice', groups: [] }, new Date())
    const attempt = await signAttempt(keys, { runId, agentUid, epoch: 1 }, new Date())
    return { 'x-mesh-run-id': runId, 'x-mesh-run-grant': grant, 'x-mesh-run-attempt': attempt }
  }
}

async function startCollector(t: TestContext): Promise<string> {
  return listen(
    t,
    createServer((request, response) => void request.resume().on('end', () => response.writeHead(200).end())),
  )
}

function through(url: string, link: Link): string {
  return Object.assign(new URL(url), { port: String(link.port) }).href.replace(/\/$/, '')
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
