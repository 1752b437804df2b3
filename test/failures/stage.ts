import { createServer } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { openDatabase } from '#core/database/database.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { answerVectors, embeddingOf } from '#core/retrieval/testing/embedding-server.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { declareKeys } from '#core/host/load/plugin-keys.ts'
import { plugins } from '#plugins/index.ts'
import type { Dependency, FailureStage } from '#launcher/listeners/failure.ts'
import type { LaunchedProcess } from '#launcher/testdata/launch.ts'
import { completes, startGateway } from '#launcher/testdata/proxied-launcher.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'
import { tokenOf } from '#plugins/budgets/testing/state-role.ts'
import { signAttempt, signGrant } from '#plugins/runs/grants.ts'
import { openLink } from '#test/chaos/proxy.ts'
import type { Link } from '#test/chaos/proxy.ts'
import { environment } from '#test/flows/platform/on-cluster.ts'
import { applyShipped } from '#test/harness/deploy.ts'
import { freePort } from '#test/harness/free-port.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { listen } from '#test/harness/listen.ts'
import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { startRedis } from '#test/harness/redis.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { linkFaults, processFaults } from './fault-switch.ts'
import type { FaultSwitch } from './fault-switch.ts'
import {
  createAgentKey,
  launchRobot,
  peerHost,
  servePeerEndpoints,
  startAgentContainer,
  launchPeer,
} from './launchers.ts'
import { addObjects } from './objects.ts'
import { runMigration, startRoleProcess } from './role-process.ts'

/** Launchers with everything behind them: real servers, a state role and a worker of all plugins, and a link before each dependency. */
export interface FailurePlatform {
  readonly stage: FailureStage
  readonly faults: Readonly<Record<Dependency, FaultSwitch>>
  /** Starts a launcher of the agent `robot` with every port; `container`: its agent is not a process of the launcher. */
  launch(container?: boolean): Promise<LaunchedProcess>
}

/** Starts the platform; everything ends with the test. */
export async function startFailurePlatform(t: TestContext): Promise<FailurePlatform> {
  // Each of its processes ends with this one by its own listener.
  process.setMaxListeners(40)
  const folder = tempFolder('failures')
  t.after(folder.remove)
  const servers = await startServers(t, folder.path)
  const { admin, postgres, redis, gateway, collector, env } = servers
  const link = (url: string): Promise<Link> => openLink(t, portOf(url))
  const [store, cache, models, sink] = [
    await link(postgres.url),
    await link(redis.url),
    await link(gateway.url),
    await link(collector),
  ]
  await runMigration(folder.path, env)
  const database = await openDatabase({ url: postgres.url })
  t.after(() => database.close())
  const keys = { robot: createAgentKey(), peer: createAgentKey() }
  const { robot, peer, runId } = await addObjects(admin, database, {
    robot: keys.robot.publicKey,
    peer: keys.peer.publicKey,
  })
  const ports = { invoke: await freePort(), amp: await freePort() }
  const calls = await openLink(t, ports.amp, { port: ports.amp, targetHost: peerHost })
  const endpoints = await servePeerEndpoints(t, ports)
  const gatewayUrl = through(gateway.url, models)
  const stateRole = await startRoleProcess(t, {
    role: 'state',
    folder: folder.path,
    env: {
      ...env,
      DATABASE_URL: through(postgres.url, store),
      REDIS_URL: through(redis.url, cache),
      GATEWAY_URL: gatewayUrl,
    },
    endpointsUrl: endpoints.calls,
    token: await tokenOf(admin, 'mesh-system', 'mesh-state'),
  })
  // What a worker does without its store is fault case 11.
  await startRoleProcess(t, { role: 'worker', folder: folder.path, env, endpointsUrl: endpoints.runs })
  const stateUrl = env['STATE_URL'] ?? ''
  const [state, stateOfPeer] = [await link(stateUrl), await link(stateUrl)]
  const peerState = { folder: folder.path, stateUrl: through(stateUrl, stateOfPeer), gatewayUrl }
  const called = await launchPeer(t, peerState, { agent: peer, key: keys.peer.privateKey, ports })
  const container = await startAgentContainer(t, folder.path)
  const agent = await openLink(t, container.port)
  const place = {
    folder: folder.path,
    stateUrl: through(stateUrl, state),
    gatewayUrl,
    collectorUrl: through(collector, sink),
  }
  return {
    faults: {
      agent: processFaults(agent, container.controls),
      collector: linkFaults(sink),
      'model gateway': linkFaults(models),
      peer: processFaults(calls, called),
      PostgreSQL: processFaults(store, { ...postgres, freeze: postgres.pause, thaw: postgres.resume }),
      Redis: processFaults(cache, redis),
      'state role': processFaults(state, stateRole),
      'state role of the peer': linkFaults(stateOfPeer),
    },
    stage: { runId, peer: 'peer', model: 'paid', newRun: newRuns(join(folder.path, 'keys'), robot.uid) },
    launch: (inContainer = false) =>
      launchRobot(t, place, {
        agent: robot,
        key: keys.robot.privateKey,
        ...(inContainer ? { container: agent.port } : {}),
      }),
  }
}

async function startServers(t: TestContext, folder: string) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  await applyShipped(kube, 'namespace', 'service-accounts', 'state')
  const [postgres, redis, nats, gateway, collector] = await Promise.all([
    startPostgres(t),
    startRedis(t),
    startNats(t),
    startGateway(t, answersModels),
    startCollector(t),
  ])
  const env: Readonly<Record<string, string>> = await environment(folder, kube, {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
  })
  return { admin, postgres, redis, gateway, collector, env }
}

const chat = completes()
const answersModels: GatewayReply = (response, request) => {
  if (!request.path.endsWith('/embeddings')) return chat(response, request)
  const { input } = request.body as { readonly input: readonly string[] }
  answerVectors(
    response,
    [input].flat().map((text) => embeddingOf(text)),
  )
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
