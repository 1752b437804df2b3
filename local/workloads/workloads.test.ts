import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { servedNamespaces } from '#core/cluster/served-namespaces.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { createPool } from '#core/kube/connection-pool.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { verifyCertificate } from '#core/signing/launcher-certificate.ts'
import { CERTIFICATE_SCHEME } from '#core/signing/launcher-proof.ts'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import { certifying } from '#launcher/testdata/certifying.ts'
import { plugins } from '#plugins/index.ts'
import type { AgentGate } from '#plugins/agents/contract/points.ts'
import type { ContainerStatus } from '#plugins/agents/reconcile/status/agent-pod.ts'
import { agentReconciler } from '#plugins/agents/reconcilers.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { AGENT_LABEL } from '#schemas/names/labels.ts'
import { needs } from '#test/harness/find-server.ts'
import { listen } from '#test/harness/listen.ts'
import { startKube } from '#test/harness/kube.ts'
import { launcherCache, launcherProgram } from '#test/harness/program.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { LocalDeployment, Pod } from './objects/workload-objects.ts'
import type { Replica } from './replica.ts'
import { deploymentReconciler } from './deployment-reconciler.ts'
import { launcherCommand, startWorkloads } from './start-workloads.ts'
import type { Workloads } from './start-workloads.ts'

const folder = new URL('../../deploy/crds/', import.meta.url)
const crds = readdirSync(folder)
  .map((file) => parse(readFileSync(new URL(file, folder), 'utf8')))
  .filter((document) => document.kind === 'CustomResourceDefinition')
const agentFile = fileURLToPath(import.meta.resolve('./testdata/agent.mjs'))
const bundledLauncher = launcherCommand(launcherProgram, launcherCache)
const runnerFile = fileURLToPath(import.meta.resolve('./testdata/runner.ts'))
const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}
const findActor = () => Promise.resolve(undefined)

const token = 'admin-token'
const namespace = parseLabel('namespace', 'default')
const ref = { namespace, name: parseName('name', 'bot') }
const speaking = (answer: string, more: AgentDeploymentSpec = {}): AgentDeploymentSpec => ({
  runtime: { command: [process.execPath, agentFile, answer] },
  ...more,
})

interface SetUpOptions {
  readonly runner?: boolean
  readonly real?: boolean
  readonly listenMs?: number
  readonly gate?: AgentGate
}

/** An embedded API server with the agents' reconciler, and the workload runner unless a test starts it in another process. */
async function setUp(t: TestContext, options: SetUpOptions = {}) {
  const dir = tempFolder('workloads')
  const running: { workloads?: Workloads } = {}
  const { cluster, server, close } = await (options.real === true ? realServer(t) : embeddedServer(dir.path, running))
  const settings = {
    launcherImage: 'launcher',
    imagePullPolicy: 'IfNotPresent',
    gatewayUrl: 'http://127.0.0.1:1',
    stateUrl: await startCertifier(t),
    systemNamespace: 'mesh-system',
    isolation: 'none',
    agentUser: 65533,
    launcherResources: {},
    agentResources: {},
    imagePullSecrets: [],
    podAnnotations: ['*'],
    hardened: false,
  } as const
  const controller = new AbortController()
  const reconcilers = [
    agentReconciler({
      cluster,
      settings,
      now: () => new Date(),
      kinds: () => kindsOf(plugins),
      findActor,
      parts: { pods: [], gates: options.gate === undefined ? [] : [{ plugin: 'trial', value: options.gate }] },
    }),
  ]
  // Files share the real API server: this manager writes no status of another test.
  const served = servedNamespaces([namespace])
  const manager = runReconcilers({ cluster, reconcilers, log: silent, signal: controller.signal, served })
  const workloads =
    options.runner === false
      ? undefined
      : await startWorkloads({
          cluster,
          dataDir: dir.path,
          launcher: bundledLauncher,
          log: silent,
          listenMs: options.listenMs ?? 60_000,
        })
  if (workloads !== undefined) running.workloads = workloads
  t.after(async () => {
    controller.abort()
    await manager.done
    await workloads?.close()
    await close()
    dir.remove()
  })
  return { server, cluster, dataDir: dir.path, workloads: workloads as Workloads, ...helpers(cluster) }
}

async function embeddedServer(dataDir: string, running: { readonly workloads?: Workloads }) {
  const server = await startApiServer({
    dataDir: join(dataDir, 'apiserver'),
    crds,
    tokens: [{ token, username: 'admin', groups: ['system:masters'] }],
    readPodLog: (request) => running.workloads?.readPodLog(request) ?? nothing(),
  })
  const pool = createPool(server.url)
  const close = async (): Promise<void> => {
    await pool.close()
    await server.close()
  }
  return { server: server.url, cluster: createKubeClient({ server: server.url, pool, bearer: token }), close }
}

/** Not the shared server: the runner would start the agents of other test files. */
async function realServer(t: TestContext) {
  const kube = await startKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  const cluster = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const group = 'apiextensions.k8s.io'
  const kind = 'CustomResourceDefinition'
  const definitions: Resource = { group, version: 'v1', plural: 'customresourcedefinitions', kind, namespaced: false }
  for (const crd of crds) await cluster.create(definitions, crd)
  await until('agents are served', () =>
    cluster.list(AgentDeployment).then(
      () => true,
      () => undefined,
    ),
  )
  return { server: kube.url, cluster, close: () => pool.close() }
}

async function* nothing(): AsyncGenerator<string> {}

function helpers(cluster: KubeClient) {
  const pods = async (): Promise<readonly Pod[]> =>
    (await cluster.list<Pod>(workloadResources.pods, { namespace, labelSelector: 'mesh.dev/agent=bot' })).items
  return {
    pods,
    create: (spec: AgentDeploymentSpec) =>
      cluster.create(AgentDeployment, AgentDeployment.object({ metadata: { name: 'bot', namespace }, spec })),
    change: (body: readonly object[]) => cluster.patch(AgentDeployment, ref, { type: 'json', body }),
    when: (condition: string, complete = true) =>
      until(condition, async () => {
        const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
        const all = agent.status?.conditions?.map((one) => `${one.type}=${one.status} ${one.reason}`) ?? []
        const settled = agent.status?.observedGeneration === agent.metadata.generation
        const whole = !complete || agent.status?.candidateRevision === undefined
        return settled && whole && all.includes(condition) ? agent : undefined
      }),
  }
}

/** The cells of the agent as `kubectl get agents` shows them. */
async function columnsOf(server: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  const answer = await fetch(`${server}/apis/mesh.dev/v1alpha1/namespaces/default/agentdeployments`, { headers })
  const table = (await answer.json()) as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] }
  return Object.fromEntries(table.columnDefinitions.map(({ name }, index) => [name, table.rows[0]?.cells[index]]))
}

async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    assert.ok(performance.now() < end, `did not happen in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Local processes whose command line contains a text; each test's agents have a unique one. */
function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        return false // it ended meanwhile
      }
    })
}

const unique = (name: string): string => `${name}-${process.pid}-${(count += 1)}`
let count = 0

/** Base URL of a ready launcher. */
function serving(workloads: Workloads): string | undefined {
  return workloads.launchers({ namespace: 'default', name: 'bot' }).find(({ ready }) => ready)?.url
}

const testIssuer = createTestIssuer()

/** A state role that certifies every launcher, and does nothing else. */
function startCertifier(t: TestContext): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = { path: request.url ?? '', text: await readText(request) }
    if (!(await certifying(testIssuer, 'uid', received, response))) response.writeHead(404).end()
  }
  return listen(
    t,
    createServer((request, response) => void answer(request, response).catch(() => response.destroy())),
  )
}

/** Launchers have self-signed certificates: the test checks the response only. */
async function asked(url: string | undefined) {
  const request = get(`${url}/healthz`, { agent: false, rejectUnauthorized: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const x509 = (response.socket as TLSSocket).getPeerX509Certificate()
  response.resume()
  const certificate = x509?.subjectAltName?.slice(`URI:${CERTIFICATE_SCHEME}`.length)
  return { status: response.statusCode ?? 0, key: x509?.publicKey, certificate }
}

const says = async (url: string | undefined): Promise<number> => (await asked(url)).status

test('an agent runs as a ready process with logs, and its deletion removes all of it (P3)', async (t) => {
  const { cluster, create, when, pods, workloads, dataDir } = await setUp(t)
  const answer = unique('hello')
  await create(speaking(answer))
  await when('Ready=True Serving')
  const url = serving(workloads)
  const { status, key, certificate } = await asked(url)
  assert.equal(status, 200)
  const { key: certified } = await verifyCertificate(certificate ?? '', testIssuer.issuer)
  assert.ok(key?.equals(certified), 'PODS4, R2-N3: it serves with a certified key')
  const found = async (name: string) => (await fetch(`${workloads.endpointsUrl}/endpoints/default/${name}`)).json()
  assert.deepEqual(await found('bot'), { launchers: [{ id: url, url, ready: true }] })
  assert.deepEqual(await found('absent'), { launchers: [] })
  const [pod] = await pods()
  const podRef = { namespace, name: parseName('name', pod?.metadata.name ?? '') }
  assert.match(
    await textOf(await cluster.podLogs(podRef, { container: 'agent' })),
    new RegExp(`agent \\d+ says ${answer}`),
  )
  const followed = await cluster.podLogs(podRef, { container: 'agent', follow: true, tailLines: 0 })
  const tokens = join(dataDir, 'workloads', 'pods', `default_${podRef.name}`, 'volumes', 'launcher-tokens', 'state')
  assert.equal(statSync(tokens).mode & 0o777, 0o600)
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: readFileSync(tokens, 'utf8'), audiences: ['state'] },
  }
  const reviewed = await cluster.review<{ status: { user?: { username?: string } } }>(
    '/apis/authentication.k8s.io/v1/tokenreviews',
    review,
  )
  assert.equal(reviewed.status.user?.username, 'system:serviceaccount:default:bot')
  await cluster.delete(AgentDeployment, ref, { propagation: 'Foreground' })
  await until('the process is gone', async () => (processesWith(answer).length === 0 ? true : undefined))
  await until('the pod is gone', async () => ((await pods()).length === 0 ? true : undefined))
  assert.equal(serving(workloads), undefined)
  await until('its tokens are gone', async () => (existsSync(tokens) ? undefined : true))
  await textOf(followed) // following ends with the process
})

test('SEC8, F8: variables of runtime.env are set in the agent and in no launcher', async (t) => {
  const { create, when, pods, cluster, dataDir } = await setUp(t)
  const answer = unique('env')
  const marks = join(dataDir, 'marks')
  // Runs before the program of each Node.js process with this variable.
  const code = `import{appendFileSync}from'node:fs';appendFileSync(${JSON.stringify(marks)},process.argv[1]+'\\n')`
  const env = [
    { name: 'NODE_OPTIONS', value: `--import=data:text/javascript;base64,${Buffer.from(code).toString('base64')}` },
    { name: 'OWN', value: 'theirs' },
  ]
  await create({ runtime: { command: [process.execPath, agentFile, answer], env } })
  await when('Ready=True Serving')
  assert.deepEqual(readFileSync(marks, 'utf8').split('\n').filter(Boolean), [agentFile])
  for (const pid of processesWith(answer)) {
    const environ = readFileSync(`/proc/${pid}/environ`, 'utf8')
    const isLauncher = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('launcher/main.')
    assert.equal(environ.includes('OWN=theirs'), !isLauncher)
    assert.ok(isLauncher || !/MESH_KEY_FILE|MESH_STATE_TOKEN_FILE|STATE_URL/.test(environ))
  }
  const [pod] = await pods()
  const podRef = { namespace, name: parseName('name', pod?.metadata.name ?? '') }
  const logOf = async (container: string) => textOf(await cluster.podLogs(podRef, { container }))
  const lines = (text: string) => text.split('\n').filter((line) => line.includes('"launcher":"bot"')).length
  const [agentLog, launcherLog] = [await logOf('agent'), await logOf('launcher')]
  assert.match(agentLog, new RegExp(`says ${answer}`))
  assert.doesNotMatch(launcherLog, new RegExp(`says ${answer}`), 'PODS11: a line of the agent is in its own log alone')
  assert.deepEqual([lines(agentLog), lines(launcherLog) > 0], [0, true])
})

test('SEC8: a declarative agent with variables is refused: no process would get them', async (t) => {
  const { create, when } = await setUp(t)
  await create({
    model: { route: 'mock' },
    systemPrompt: 'x',
    runtime: { env: [{ name: 'NODE_OPTIONS', value: '--inspect' }] },
  })
  const agent = await when('Accepted=False RuntimeNotUsed', false)
  assert.match(agent.status?.conditions?.find(({ type }) => type === 'Accepted')?.message ?? '', /runtime\.env/)
})

test('a status is written only at the version that it was computed from', async (t) => {
  const dir = tempFolder('workloads')
  const { cluster, close } = await embeddedServer(dir.path, {})
  t.after(async () => {
    await close()
    dir.remove()
  })
  const labels = { [AGENT_LABEL]: 'bot' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'agent', image: 'agent' }] } }
  const stale = await cluster.create<KubeObject>(workloadResources.deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...ref, labels },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  })
  const launcher = [process.execPath]
  const context = {
    cluster,
    dataDir: dir.path,
    launcher,
    cwd: dir.path,
    log: silent,
    listenMs: 60_000,
    ending: new Set<Replica>(),
  }
  const { reconcile } = deploymentReconciler(context, new Map())
  await cluster.patch(
    workloadResources.deployments,
    ref,
    { type: 'merge', body: { status: { replicas: 3 } } },
    { subresource: 'status' },
  )
  const replicas = async () =>
    (await cluster.get<LocalDeployment>(workloadResources.deployments, ref)).status?.['replicas']
  await reconcile(ref, stale)
  assert.equal(await replicas(), 3)
  await reconcile(ref, await cluster.get(workloadResources.deployments, ref))
  assert.equal((await replicas()) ?? 0, 0)
})

test('PODA27: replicas are scaled and counted, and a deleted pod is replaced', async (t) => {
  const { cluster, create, when, pods } = await setUp(t)
  const answer = unique('scale')
  await create(speaking(answer, { scaling: { replicas: 2 } }))
  await when('Ready=True Serving')
  const two = await pods()
  assert.equal(two.length, 2)
  await until('both are counted', async () => {
    const { status } = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
    return (status?.replicas === 2 && status.readyReplicas === 2) || undefined
  })
  const scale = { type: 'merge', body: { spec: { replicas: 1 } } } as const
  await cluster.patch(AgentDeployment, ref, scale, { subresource: 'scale' })
  await until('one pod is left', async () => ((await pods()).length === 1 ? true : undefined))
  const [left] = await pods()
  assert.ok(
    two.some((pod) => pod.metadata.uid === left?.metadata.uid),
    'the pod was not replaced',
  )
  await cluster.delete(
    workloadResources.pods,
    { namespace, name: parseName('name', left?.metadata.name ?? '') },
    { graceSeconds: 0 },
  )
  await until('another pod runs', async () => {
    const [pod] = await pods()
    return pod !== undefined && pod.metadata.uid !== left?.metadata.uid ? true : undefined
  })
  await when('Ready=True Serving')
})

test('UXM13: a new revision starts before the old one stops; a broken one reports its reason while the old one serves', async (t) => {
  const { server, create, change, when, workloads, pods } = await setUp(t)
  const [first, second] = [unique('first'), unique('second')]
  await create(speaking(first))
  const good = await when('Ready=True Serving')
  const pid = processesWith(first)
  await change([{ op: 'replace', path: '/spec/runtime/command/2', value: 'crash' }])
  const degraded = await when('Degraded=True CrashLoopBackOff', false)
  assert.match(
    degraded.status?.conditions?.find((one) => one.type === 'Degraded')?.message ?? '',
    /code 3.*: about to crash$/,
  )
  assert.equal(degraded.status?.currentRevision, good.status?.currentRevision)
  assert.equal(await says(serving(workloads)), 200)
  assert.deepEqual(processesWith(first), pid, 'the old process was not touched')
  const { Ready: ready, Degraded: isDegraded, Updated: updated } = await columnsOf(server)
  assert.deepEqual([ready, isDegraded, updated], ['True', 'True', 1])
  await change([{ op: 'replace', path: '/spec/runtime/command/2', value: second }])
  const healed = await when('Degraded=False AsExpected')
  assert.notEqual(healed.status?.currentRevision, good.status?.currentRevision)
  await until('the old process is gone', async () => (processesWith(first).length === 0 ? true : undefined))
  await until('one pod is left', async () => ((await pods()).length === 1 ? true : undefined))
  assert.equal(await says(serving(workloads)), 200)
})

for (const real of [false, true]) {
  const make = real ? 'a real API server' : 'the embedded API server'
  test(
    `a candidate is a process that only runs of its revision find, on ${make}`,
    needs('etcd', 'kube-apiserver'),
    async (t) => {
      let isHeld = false
      const gate: AgentGate = async () =>
        isHeld ? { condition: 'EvalGated', reason: 'Pending', message: 'It is tried.', candidate: true } : undefined
      const { cluster, create, change, when, workloads } = await setUp(t, { real, gate })
      const [first, tried, next] = [unique('first'), unique('tried'), unique('next')]
      const bot = { namespace: 'default', name: 'bot' }
      await create(speaking(first))
      await when('Ready=True Serving')
      const served = serving(workloads)
      isHeld = true
      await change([{ op: 'replace', path: '/spec/runtime/command/2', value: tried }])
      const { status } = await when('CandidateReady=True Running', false)
      assert.equal(status?.candidate?.number, 2)
      const [candidate, ...more] = workloads.launchers({ ...bot, candidate: 2 })
      assert.deepEqual([candidate?.ready, more], [true, []])
      assert.equal(await says(candidate?.url), 200)
      assert.ok(processesWith(tried).length > 0)
      assert.deepEqual(
        workloads.launchers(bot).map(({ url }) => url),
        [served],
        'zero traffic: the launchers of the agent are those of the deployed revision',
      )
      const found = await fetch(`${workloads.endpointsUrl}/endpoints/default/bot`)
      assert.deepEqual(await found.json(), { launchers: [{ id: served, url: served, ready: true }] })
      for (const other of [1, 3, 0, Number.NaN]) assert.deepEqual(workloads.launchers({ ...bot, candidate: other }), [])
      assert.deepEqual(workloads.launchers({ ...bot, name: 'other', candidate: 2 }), [])
      await change([{ op: 'replace', path: '/spec/runtime/command/2', value: next }])
      await until('the candidate before it ended', async () => (processesWith(tried).length === 0 ? true : undefined))
      await until('the next one runs', async () =>
        workloads.launchers({ ...bot, candidate: 3 })[0]?.ready ? true : undefined,
      )
      assert.equal(serving(workloads), served)
      isHeld = false
      await change([{ op: 'add', path: '/metadata/labels', value: { touched: 'now' } }])
      await until('it is rolled out', async () => {
        const [only, ...others] = workloads.launchers(bot)
        return only?.ready === true && only.url !== served && others.length === 0 ? true : undefined
      })
      await until('no candidate is left', async () =>
        workloads.launchers({ ...bot, candidate: 3 }).length === 0 ? true : undefined,
      )
      isHeld = true
      await change([{ op: 'replace', path: '/spec/runtime/command/2', value: tried }])
      await until('it is tried again', async () => (processesWith(tried).length > 0 ? true : undefined))
      await cluster.delete(AgentDeployment, ref, { propagation: 'Foreground' })
      if (real) return
      await until('its processes are gone', async () => (processesWith(tried).length === 0 ? true : undefined))
      await until('all are gone', async () => (processesWith(next).length === 0 ? true : undefined))
    },
  )
}

test(
  'the same against a real API server, which judges every status that is written',
  needs('etcd', 'kube-apiserver'),
  async (t) => {
    const { cluster, create, change, when, workloads, pods } = await setUp(t, { real: true })
    const [first, second] = [unique('first'), unique('second')]
    await create(speaking(first))
    const good = await when('Ready=True Serving')
    await change([{ op: 'replace', path: '/spec/runtime/command/2', value: 'crash' }])
    const degraded = await when('Degraded=True CrashLoopBackOff', false)
    assert.equal(degraded.status?.currentRevision, good.status?.currentRevision)
    assert.equal(await says(serving(workloads)), 200)
    await change([{ op: 'replace', path: '/spec/runtime/command/2', value: second }])
    await when('Degraded=False AsExpected')
    await until('the old process is gone', async () => (processesWith(first).length === 0 ? true : undefined))
    await until('one pod is left', async () => ((await pods()).length === 1 ? true : undefined))
    const jobs = { namespace, name: parseName('name', 'once') }
    const spec: AgentDeploymentSpec = { executionModel: 'job', runtime: { command: [process.execPath, '--eval', '0'] } }
    await cluster.create(AgentDeployment, AgentDeployment.object({ metadata: { ...jobs }, spec }))
    await until('the job completes', async () => {
      const { items } = await cluster.list<KubeObject<unknown, { succeeded?: number }>>(workloadResources.jobs, {
        namespace,
      })
      return items[0]?.status?.succeeded === 1 ? true : undefined
    })
    // This server has no garbage collector, so the test deletes the Deployment; after the agent, or
    // the manager would create it again.
    await cluster.delete(AgentDeployment, ref)
    await cluster.delete(workloadResources.deployments, ref)
    await until('the process is gone', async () => (processesWith(second).length === 0 ? true : undefined))
  },
)

test('UXH7, UXH8: a missing program, a silent agent and a service that ends are explained', async (t) => {
  const { create, change, when } = await setUp(t, { listenMs: 200 })
  const why = async (reason: string) => {
    const { status } = await when(`Degraded=True ${reason}`, false)
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    return ready?.message ?? ''
  }
  const run = (...command: string[]) => change([{ op: 'replace', path: '/spec/runtime/command', value: command }])
  await create({ runtime: { command: ['pyhton3', 'agent.py'] } })
  assert.match(await why('CrashLoopBackOff'), /^container agent: program pyhton3 not found/)
  await run('sleep', '60')
  assert.match(await why('AgentNotListening'), /^the agent does not respond on AGENT_PORT=\d+: this machine allocates/)
  await run(process.execPath, '--eval', '0')
  assert.match(await why('CrashLoopBackOff'), /ended by itself with code 0, and a service must keep running/)
})

test('UXM14, PODA23: an agent that crashes again and again keeps its reason while it runs in between', async (t) => {
  const { cluster, create, when, pods } = await setUp(t)
  await create({ runtime: { command: ['sh', '-c', 'sleep 0.5; echo out of luck; exit 3'] } })
  await when('Degraded=True CrashLoopBackOff', false)
  const reasons = new Set<string | undefined>()
  const status = await until('the third start', async () => {
    const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
    reasons.add(agent.status?.conditions?.find(({ type }) => type === 'Ready')?.reason)
    const [pod] = await pods()
    const [container] = (pod?.status?.['containerStatuses'] ?? []) as readonly ContainerStatus[]
    return container?.restartCount === 2 && container.state?.running !== undefined ? { agent, container } : undefined
  })
  assert.deepEqual([...reasons], ['CrashLoopBackOff'])
  const { finishedAt, ...ended } = status.container.lastState?.terminated ?? {}
  assert.deepEqual(ended, { exitCode: 3, reason: 'Error', message: 'out of luck' })
  assert.match(finishedAt ?? '', /^\d{4}-.*Z$/)
  assert.equal(status.agent.status?.lastTermination?.exitCode, 3)
})

test('an agent that dies is started again, and its restarts are counted', async (t) => {
  const { create, when, pods } = await setUp(t)
  const answer = unique('mortal')
  await create(speaking(answer))
  await when('Ready=True Serving')
  const agent = processesWith(answer).find(
    (pid) => !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('launcher/main.'),
  )
  process.kill(Number(agent), 'SIGKILL')
  const restarted = await until('a restart is counted', async () => {
    const [pod] = await pods()
    const statuses = (pod?.status?.['containerStatuses'] ?? []) as readonly { restartCount: number; ready: boolean }[]
    return statuses[0]?.restartCount === 1 && statuses[0].ready ? pod : undefined
  })
  assert.notEqual(restarted, undefined)
})

test('a declarative agent has no process of its own, and an image without a command needs a container runtime', async (t) => {
  const { cluster, create, when, workloads } = await setUp(t)
  await cluster.create(
    ModelRoute,
    ModelRoute.object({
      metadata: { name: 'mock', namespace },
      spec: { providerRef: { name: 'mock' }, model: 'mock' },
    }),
  )
  await create({ model: { route: 'mock' }, systemPrompt: 'You help.' })
  await when('Ready=True Serving')
  assert.equal(await says(serving(workloads)), 200)
  const other = { namespace, name: parseName('name', 'boxed') }
  await cluster.create(
    AgentDeployment,
    AgentDeployment.object({ metadata: { name: 'boxed', namespace }, spec: { image: 'nginx:1' } }),
  )
  await until('it says what it needs', async () => {
    const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, other)
    const ready = agent.status?.conditions?.find((one) => one.type === 'Ready')
    return ready?.reason === 'ImageNeedsContainerRuntime' && ready.message.includes('runtime.command')
      ? true
      : undefined
  })
})

test('a job completes once, and a failing job is retried up to its limit', async (t) => {
  const { cluster, create, pods } = await setUp(t)
  const job: Resource = workloadResources.jobs
  await create({ executionModel: 'job', runtime: { command: [process.execPath, '--eval', 'console.log("done")'] } })
  const [done] = await until('the job completes', async () => {
    const { items } = await cluster.list<KubeObject<unknown, { succeeded?: number }>>(job, { namespace })
    return items[0]?.status?.succeeded === 1 ? items : undefined
  })
  assert.equal((await pods()).length, 1)
  assert.match(done?.metadata.name ?? '', /^bot-/)
  const failing = { namespace, name: parseName('name', 'failing') }
  const spec: AgentDeploymentSpec = {
    executionModel: 'job',
    runtime: { command: [process.execPath, '--eval', 'process.exit(7)'] },
  }
  await cluster.create(AgentDeployment, AgentDeployment.object({ metadata: { ...failing }, spec }))
  await until('it gives up', async () => {
    const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, failing)
    return agent.status?.conditions?.some((one) => one.type === 'Ready' && one.reason === 'JobFailed')
      ? true
      : undefined
  })
  const tries = await cluster.list(workloadResources.pods, { namespace, labelSelector: 'mesh.dev/agent=failing' })
  assert.equal(tries.items.length, 3, 'the first try and two more')
})

test('no process survives close or kill -9 of the runner, and its pods are deleted at the next start', async (t) => {
  const { server, cluster, create, when, pods, dataDir } = await setUp(t, { runner: false })
  const answer = unique('orphan')
  const runner = spawn(process.execPath, [runnerFile, server, token, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(runner, 'exit')
  t.after(() => runner.kill('SIGKILL'))
  await once(createInterface({ input: runner.stdout }), 'line')
  await create(speaking(answer))
  await when('Ready=True Serving')
  assert.ok(processesWith(answer).length > 0)
  runner.kill('SIGKILL')
  await ended
  await until('no process is left', async () => (processesWith(answer).length === 0 ? true : undefined))
  const [old] = await pods()
  const workloads = await startWorkloads({ cluster, dataDir, launcher: bundledLauncher, log: silent })
  await until('another pod serves', async () => {
    const all = await pods()
    return all.length === 1 && all[0]?.metadata.uid !== old?.metadata.uid && serving(workloads) !== undefined
      ? true
      : undefined
  })
  await workloads.close()
  assert.deepEqual(processesWith(answer), [])
})

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
