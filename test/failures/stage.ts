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
import type { Dependency, FailureStage } from '#test/failures/rows/failure.ts'
import type { LaunchedProcess } from '#launcher/testdata/launch.ts'
import { completes, startGateway } from '#launcher/testdata/proxied-launcher.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import { startMcpServer } from '#plugins/mcp/testing/mcp-server.ts'
import { signAttempt, signGrant } from '#plugins/runs/grants/grants.ts'
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
import { startS3 } from '#test/harness/s3.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { linkFaults, processFaults } from './fault-switch.ts'
import type { FaultSwitch, KillableServer } from './fault-switch.ts'
import { launchRobot, peerHost, servePeerEndpoints, startAgentContainer, launchPeer } from './launchers.ts'
import { addObjects } from './objects.ts'
import { startRecordedRun } from './recorded-run.ts'
import type { RecordedRun } from './recorded-run.ts'
import { runMigration, startRoleProcess } from './role-process.ts'

/** Launchers with everything behind them: real servers, a state role and a worker of all plugins, and a link before each dependency. */
export interface FailurePlatform {
  readonly stage: Omit<FailureStage, 'recordedRun'>
  readonly faults: Readonly<Record<Dependency, FaultSwitch>>
  /** Starts a launcher of the agent `robot` with every port; `container`: its agent is not a process of the launcher. */
  launch(container?: boolean): Promise<LaunchedProcess>
  /** Starts a run at one of these launchers. */
  startRun(launcher: LaunchedProcess): Promise<RecordedRun>
}

/** Starts the platform; everything ends with the test. */
export async function startFailurePlatform(t: TestContext): Promise<FailurePlatform> {
  // Each of its processes ends with this one by its own listener.
  process.setMaxListeners(40)
  const temp = tempFolder('failures')
  t.after(temp.remove)
  const folder = temp.path
  const servers = await startServers(t, folder)
  const links = await openLinks(t, servers)
  const { robot, peer, runId, queueRun } = await addAgents(t, servers, {
    folder,
    toolsUrl: through(servers.tools.url, links.tools),
  })
  const ports = { invoke: await freePort(), amp: await freePort() }
  const calls = await openLink(t, ports.amp, { port: ports.amp, targetHost: peerHost })
  const endpoints = await servePeerEndpoints(t, ports)
  const stateRole = await startRoles(t, { servers, links, endpoints, folder })
  const gatewayUrl = through(servers.gateway.url, links.models)
  const ofPeer = { folder, stateUrl: through(servers.stateUrl, links.stateOfPeer), gatewayUrl }
  const called = await launchPeer(t, ofPeer, { agent: peer, ports })
  const container = await startAgentContainer(t, folder)
  const agent = await openLink(t, container.port)
  const urls = {
    folder,
    stateUrl: through(servers.stateUrl, links.state),
    gatewayUrl,
    collectorUrl: through(servers.collector, links.sink),
  }
  const own = { agent: robot }
  const headersOf = signsRuns(join(folder, 'keys'), robot.uid)
  return {
    faults: {
      ...faultsOf(servers, links, stateRole),
      agent: processFaults(agent, container.controls),
      peer: processFaults(calls, called),
    },
    stage: { runId, peer: 'peer', model: 'paid', newRun: () => headersOf(uuidV7()) },
    launch: (inContainer = false) => launchRobot(t, urls, inContainer ? { ...own, container: agent.port } : own),
    startRun: async (launcher) => {
      const { stateUrl, kube } = servers
      const headers = await headersOf(await queueRun())
      return startRecordedRun(launcher, { headers, stateUrl, bearer: kube.tokens['admin'] ?? '' })
    },
  }
}

type Servers = Awaited<ReturnType<typeof startServers>>
type Links = Awaited<ReturnType<typeof openLinks>>

async function openLinks(t: TestContext, { postgres, redis, objects, gateway, collector, tools, stateUrl }: Servers) {
  const link = (url: string): Promise<Link> => openLink(t, portOf(url))
  return {
    store: await link(postgres.url),
    cache: await link(redis.url),
    models: await link(gateway.url),
    sink: await link(collector),
    tools: await link(tools.url),
    objects: await link(objects.url),
    state: await link(stateUrl),
    stateOfPeer: await link(stateUrl),
  }
}

function faultsOf({ postgres, redis }: Servers, links: Links, stateRole: KillableServer) {
  return {
    collector: linkFaults(links.sink),
    'MCP server': linkFaults(links.tools),
    'model gateway': linkFaults(links.models),
    // Data of a frozen link is lost. A frozen server would store it when it continues.
    'object store': linkFaults(links.objects),
    PostgreSQL: processFaults(links.store, { ...postgres, freeze: postgres.pause, thaw: postgres.resume }),
    Redis: processFaults(links.cache, redis),
    'state role': processFaults(links.state, stateRole),
    'state role of the peer': linkFaults(links.stateOfPeer),
  }
}

async function addAgents(
  t: TestContext,
  { admin, postgres, env }: Servers,
  { folder, toolsUrl }: { readonly folder: string; readonly toolsUrl: string },
) {
  await runMigration(folder, env)
  const database = await openDatabase({ url: postgres.url })
  t.after(() => database.close())
  return addObjects(admin, database, { toolsUrl })
}

interface RoleParts {
  readonly servers: Servers
  readonly links: Links
  readonly endpoints: { readonly calls: string; readonly runs: string }
  readonly folder: string
}

/** Starts a worker, and the state role, which reaches its stores and the gateway through links. */
async function startRoles(t: TestContext, { servers, links, endpoints, folder }: RoleParts): Promise<KillableServer> {
  const { admin, env, postgres, redis, gateway, objects } = servers
  const linked = {
    DATABASE_URL: through(postgres.url, links.store),
    REDIS_URL: through(redis.url, links.cache),
    GATEWAY_URL: through(gateway.url, links.models),
    OBJECT_STORE_ADDR: `127.0.0.1:${links.objects.port}`,
    OBJECT_STORE_ACCESS_KEY: objects.accessKey,
    OBJECT_STORE_SECRET_KEY: objects.secretKey,
    // The MCP server is one of this process.
    MESH_OUTBOUND_ALLOW: '127.0.0.1',
  }
  const token = await tokenOf(admin, 'mesh-system', 'mesh-state')
  const state = { role: 'state', folder, env: { ...env, ...linked }, endpointsUrl: endpoints.calls, token } as const
  const started = await startRoleProcess(t, state)
  // What a worker does without its store is fault case 11.
  await startRoleProcess(t, { role: 'worker', folder, env, endpointsUrl: endpoints.runs })
  return started
}

async function startServers(t: TestContext, folder: string) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  await applyShipped(kube, 'namespace', 'service-accounts', 'state')
  const [postgres, redis, objects, nats, gateway, collector, tools] = await Promise.all([
    startPostgres(t),
    startRedis(t),
    startS3(t),
    startNats(t),
    startGateway(t, answersModels),
    startCollector(t),
    startMcpServer(t, '2026-07-28'),
  ])
  const env: Readonly<Record<string, string>> = await environment(folder, kube, {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
  })
  tools.tools.set('now', {})
  return { kube, admin, postgres, redis, objects, gateway, collector, tools, env, stateUrl: env['STATE_URL'] ?? '' }
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
function signsRuns(keysDir: string, agentUid: string): (runId: string) => ReturnType<FailureStage['newRun']> {
  const keys = createKeyring({ dir: keysDir, generate: declareKeys(plugins, new Set()).types })
  return async (runId) => {
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
