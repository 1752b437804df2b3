import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:http'
import type { LauncherConfig } from '#schemas/launcher/launcher.ts'
import { launch } from '#launcher/testdata/launch.ts'
import type { LaunchedProcess } from '#launcher/testdata/launch.ts'
import { nodeAgent } from '#launcher/testdata/node-agent.ts'
import { freePort } from '#test/harness/free-port.ts'
import { listen } from '#test/harness/listen.ts'
import { stopProcesses } from '#test/harness/process-state.ts'
import type { Scope } from '#test/harness/scope.ts'
import { acceptsTcp, startProcess, untilReady } from '#test/harness/server-process.ts'
import type { KillableServer } from './fault-switch.ts'
import { namespace, registry } from './objects.ts'
import type { StagedAgent } from './objects.ts'

/** URLs of what a launcher calls. */
export interface LauncherUrls {
  readonly folder: string
  readonly stateUrl: string
  readonly gatewayUrl: string
  readonly collectorUrl: string
}

// Shorter than the patience of the test, and longer than a call over a slow link on a slow machine.
const deadline = { timeout: '40s', concurrency: 100 }

/** Starts a launcher of `robot` with every port; `container`: of an agent on that port, which it does not start. */
export function launchRobot(
  t: Scope,
  { folder, stateUrl, gatewayUrl, collectorUrl }: LauncherUrls,
  { agent, container }: { readonly agent: StagedAgent; readonly container?: number },
): Promise<LaunchedProcess> {
  const tokenFile = join(folder, 'launcher-token')
  writeFileSync(tokenFile, agent.token)
  const memory = { session: true, longTerm: true }
  const traces = { store: true, capture: 'metadata', redact: [], sampleRate: 1 }
  const plugins = {
    budgets: { money: true },
    memory,
    knowledge: { bases: ['handbook'] },
    traces,
    recording: { redact: [] },
  }
  const own =
    container === undefined
      ? { command: nodeAgent }
      : { early: true, env: { MESH_AGENT_CONTAINER: 'true', AGENT_PORT: String(container) } }
  return launch(t, {
    ...own,
    signed: true,
    config: { name: agent.name, namespace, uid: agent.uid, limits: deadline, plugins },
    env: {
      STATE_URL: stateUrl,
      MESH_STATE_TOKEN_FILE: tokenFile,
      MODEL_GATEWAY_URL: gatewayUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      // Runs are cancelled without the end of the agent.
      AGENT_CANCELS: 'true',
      FEEDBACK_PORT: '0',
      DISCOVERY_PORT: '0',
      OTLP_GRPC_PORT: '0',
      OTLP_HTTP_PORT: '0',
      // Long enough for a slow link, and shorter than the default of 600 s.
      MESH_GATEWAY_TIMEOUT_SECONDS: '5',
      MESH_BUDGET_PORT: '0',
      MEMORY_PORT: '0',
      MEMORY_BACKEND_ADDR: stateUrl,
      A2A_PORT: '0',
      MESH_AMP_INBOUND_PORT: '0',
      AGENT_REGISTRY_ID: `${namespace}/${registry}`,
      ...own.env,
    },
  })
}

/** Address of the launcher of `peer`: the link before it has the same port, since a launcher refuses another one in `Host` (H1). */
export const peerHost = '127.0.0.2'

/** Ports of the launcher of `peer`, which keeps them when it is started again. */
export interface PeerPorts {
  readonly invoke: number
  readonly amp: number
}

/** Starts the launcher of `peer`, a declarative agent. */
export async function launchPeer(
  t: Scope,
  { folder, stateUrl, gatewayUrl }: Omit<LauncherUrls, 'collectorUrl'>,
  { agent, ports }: { readonly agent: StagedAgent; readonly ports: PeerPorts },
): Promise<KillableServer> {
  const tokenFile = join(folder, 'peer-token')
  writeFileSync(tokenFile, agent.token)
  const config: Partial<LauncherConfig> = {
    name: agent.name,
    namespace,
    uid: agent.uid,
    systemPrompt: 'You help.',
    model: { route: 'paid' },
    limits: deadline,
  }
  const env = {
    STATE_URL: stateUrl,
    MESH_STATE_TOKEN_FILE: tokenFile,
    MODEL_GATEWAY_URL: gatewayUrl,
    A2A_PORT: '0',
    MESH_BIND: peerHost,
    MESH_HOSTS: peerHost,
    MESH_LAUNCHER_PORT: String(ports.invoke),
    MESH_AMP_INBOUND_PORT: String(ports.amp),
    AGENT_REGISTRY_ID: `${namespace}/${registry}`,
  }
  const start = () => launch(t, { signed: true, config, env })
  let running = await start()
  return {
    kill9: async () => {
      running.kill('SIGKILL')
      await running.exited
    },
    restart: async () => {
      running = await start()
    },
    freeze: () => stopProcesses([running.pid]),
    thaw: () => running.kill('SIGCONT'),
  }
}

/** Starts the example agent as the kubelet starts its own container. */
export async function startAgentContainer(t: Scope, folder: string) {
  const port = await freePort()
  const [program, ...args] = nodeAgent
  const run = () => startProcess({ program, args, log: join(folder, 'agent.log'), env: { AGENT_PORT: String(port) } })
  const ready = () => untilReady(server, () => acceptsTcp(port))
  let server = run()
  t.after(() => server.end('SIGKILL'))
  await ready()
  const controls: KillableServer = {
    kill9: () => server.end('SIGKILL'),
    restart: async () => {
      server = run()
      await ready()
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }
  return { port, controls }
}

/** Serves the addresses of `peer`: those of calls below `/amp`, those of runs below `/invoke`. */
export async function servePeerEndpoints(t: Scope, ports: PeerPorts) {
  const own = await listen(
    t,
    createServer((request, response) => {
      const [, kind = '', , of, name] = (request.url ?? '').split('/')
      const isPeer = of === namespace && name === 'peer'
      const url = kind === 'amp' ? `https://127.0.0.1:${ports.amp}` : `https://${peerHost}:${ports.invoke}`
      const launchers = isPeer ? [{ id: 'peer', url, ready: true }] : []
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ launchers }))
    }),
  )
  return { calls: `${own}/amp`, runs: `${own}/invoke` }
}
