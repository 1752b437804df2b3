import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import { listenerDefinitions } from '#launcher/listener-definitions.ts'
import { startAll } from '#test/flows/platform/embedded.ts'
import { freePort } from '#test/harness/free-port.ts'
import { launcherProgram } from '#test/harness/program.ts'
import type { Scope } from '#test/harness/scope.ts'
import { acceptsTcp, startProcess, untilReady } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Door } from './corpus.ts'
import type { Address } from './raw-exchange.ts'

/** A listener with the inputs of the corpus. */
export interface Listener extends Address {
  readonly name: string
  /** A normal GET and its status, sent after every few hostile requests. */
  readonly ordinary: { readonly path: string; readonly status: number }
  /** Serves HTTP/2 without TLS only. */
  readonly http2?: boolean
  /** Routes that parse a body. */
  readonly doors: readonly Door[]
}

/** A process under test with its declared listeners; the test compares them with those of the kernel. */
export interface Subject {
  readonly name: string
  readonly pid: number
  readonly running: () => boolean
  readonly logFile: string
  readonly listeners: readonly Listener[]
  /** One more listener on a free port. */
  readonly onAnyPort?: Omit<Listener, 'port'>
}

const bearer = (token: string): readonly string[] => [`Authorization: Bearer ${token}`]

/** `mesh all`: every role and the embedded API server, without agents. */
export async function startPlatformSubject(t: Scope): Promise<Subject> {
  const folder = tempFolder('listeners')
  t.after(folder.remove)
  const managerPort = await freePort()
  const livenessPort = await freePort()
  const env = { MESH_MANAGER_PORT: String(managerPort), MESH_LIVENESS_PORT: String(livenessPort) }
  const all = await startAll(t, join(folder.path, 'data'), { flags: ['--no-demo'], env })
  const { ready, server, adminUrl, stateUrl } = all
  const { developer, admin } = ready.tokens
  const kube: Pick<Listener, 'ordinary' | 'doors'> = {
    ordinary: { path: '/version', status: 200 },
    doors: ['/api/v1/namespaces/default/configmaps', '/apis/mesh.dev/v1alpha1/namespaces/default/agentdeployments'].map(
      (path) => ({ method: 'POST', path, headers: bearer(admin) }),
    ),
  }
  const kubePort = apiServerPort(ready.kubeconfig)
  return {
    name: 'mesh all',
    pid: all.pid,
    running: server.running,
    logFile: all.log,
    listeners: [
      {
        name: 'bff',
        port: portOf(ready.url),
        ordinary: { path: '/api/whoami', status: 401 },
        doors: [
          {
            method: 'POST',
            path: '/session',
            headers: [`Origin: ${ready.url}`, 'Sec-Fetch-Site: same-origin', 'X-Mesh-Session: 1'],
          },
          ...['/api/agents', '/api/runs', '/api/invoke', '/api/agents/import'].map((path) => ({
            method: 'POST',
            path,
            headers: bearer(developer),
          })),
        ],
      },
      {
        name: 'gateway',
        port: portOf(ready.gatewayUrl),
        ordinary: { path: '/v1/models', status: 401 },
        doors: ['/v1/chat/completions', '/v1/embeddings', '/v1/messages', '/v1/responses'].map((path) => ({
          method: 'POST',
          path,
          headers: bearer(developer),
        })),
      },
      {
        name: 'state',
        port: portOf(stateUrl),
        ordinary: { path: '/jwks', status: 200 },
        doors: ['/runs', '/amp/calls', '/memory/items', '/memory/conversations/c/entries', '/mcp/tools/x/calls'].map(
          (path) => ({
            method: 'POST',
            path,
            headers: bearer(developer),
          }),
        ),
      },
      {
        name: 'manager',
        port: managerPort,
        ordinary: { path: '/none', status: 404 },
        doors: [{ method: 'POST', path: '/audit-events', headers: bearer(developer) }],
      },
      {
        name: 'admin',
        port: portOf(adminUrl),
        ordinary: { path: '/livez', status: 200 },
        doors: [{ method: 'POST', path: '/livez', headers: [] }],
      },
      {
        name: 'liveness',
        port: livenessPort,
        ordinary: { path: '/livez', status: 200 },
        doors: [{ method: 'POST', path: '/livez', headers: [] }],
      },
      { name: 'API server', port: kubePort, ...kube },
      { name: 'API server with TLS', port: kubePort, tls: true, ...kube },
    ],
    // The look-up of launchers uses a free port and publishes it nowhere.
    onAnyPort: {
      name: 'endpoint look-up',
      ordinary: { path: '/endpoints/default/none', status: 200 },
      doors: [{ method: 'POST', path: '/endpoints/default/none', headers: [] }],
    },
  }
}

/** A launcher with an agent that never responds, and every port that a launcher opens today. */
export async function startLauncherSubject(t: Scope): Promise<Subject> {
  const folder = tempFolder('listeners')
  t.after(folder.remove)
  const agentFile = join(folder.path, 'agent.json')
  const plugins = { budgets: { money: true }, memory: { session: true, longTerm: true } }
  writeFileSync(agentFile, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1', plugins }))
  const ports = new Map<PortName, number>()
  for (const name of Object.keys(reservedPorts)) ports.set(name as PortName, await freePort())
  const logFile = join(folder.path, 'launcher.log')
  const server = startProcess({
    program: process.execPath,
    args: [launcherProgram, '--', '/bin/sleep', '600'],
    log: logFile,
    env: {
      MESH_AGENT_CONFIG: agentFile,
      MESH_BIND: '127.0.0.1',
      AGENT_REGISTRY_ID: 'default/team',
      STATE_URL: `http://127.0.0.1:${await freePort()}`,
      MEMORY_BACKEND_ADDR: `http://127.0.0.1:${await freePort()}`,
      MODEL_GATEWAY_URL: `http://127.0.0.1:${await freePort()}`,
      AGENT_PORT: String(await freePort()),
      ...Object.fromEntries([...ports].map(([name, port]) => [reservedPorts[name].env, String(port)])),
    },
  })
  t.after(() => server.end('SIGKILL'))
  // The last port that opens.
  await untilReady(server, () => acceptsTcp(ports.get('invoke') ?? 0))
  return {
    name: 'launcher',
    pid: server.pid,
    running: server.running,
    logFile,
    listeners: listenerDefinitions
      .flatMap(({ port }) => port)
      .map(({ name, routes, protocol }) => ({
        name,
        ...(protocol === 'h2' ? { http2: true as const } : {}),
        port: ports.get(name) ?? 0,
        ...(reservedPorts[name].bind === 'pod' ? { tls: true as const } : {}),
        ordinary: { path: '/none', status: 404 },
        doors: Object.values(routes).flatMap(({ method, path, body }) =>
          body === undefined ? [] : [{ method, path, headers: [] }],
        ),
      })),
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

function apiServerPort(kubeconfig: string): number {
  return Number(/"?server"?: "?https?:\/\/[^:]+:(\d+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1])
}
