import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { createTlsIdentity } from '#launcher/http/certificate.ts'
import { apiOf, at, condition, until } from '../api.ts'
import type { Api } from '../api.ts'
import { makeCaller } from '../callers.ts'
import type { Cluster } from '../cluster.ts'
import { whatPodsSay } from '../install.ts'
import { addTeam, sharedCluster } from '../cluster-fixture.ts'
import { launcherProcess, signalProcesses } from '../pod-processes.ts'
import { startWitness } from '../witness.ts'
import { compiler, makeEvilImages } from './images.ts'

const namespace = 'evil'
const agentText = readFileSync(new URL('evil-agent.mjs', import.meta.url), 'utf8')
// Runs in each Node.js process that has the variable, before its program.
const owned = Buffer.from('process.stderr.write(`OWNED as ${process.getuid()}\\n`)').toString('base64')
const nodeOptions = { name: 'NODE_OPTIONS', value: `--import=data:text/javascript;base64,${owned}` }

/** Expected result of an attack: the agent's own gateway token, and nothing else. */
const nothing = {
  key: 'failed ENOENT',
  keyFiles: [],
  stateToken: 'failed ENOENT',
  config: 'failed ENOENT',
  apiToken: 'failed ENOENT',
  launchersInProc: 0,
  launcherMemory: [],
  environments: [],
  roots: [],
  namespaces: [],
  variables: [],
  uid: 65533,
  capabilities: '0000000000000000',
  noNewPrivileges: '1',
  seccomp: '2',
  writeTmp: 'GOT',
  bindLauncher: 'failed EADDRINUSE',
  bindDelegate: 'failed EADDRINUSE',
  inspector: 'failed ECONNREFUSED',
  runsWithoutGrant: 'answered 401',
  invokeWithToken: 'answered 401',
}

interface Rig {
  readonly cluster: Cluster
  readonly developer: Api
  readonly hostAddress: string
}

const inNamespace = (cluster: Cluster, args: readonly string[]): Promise<string> =>
  cluster.kubectl(['-n', namespace, ...args])

async function apply({ cluster }: Pick<Rig, 'cluster'>, name: string, spec: object): Promise<void> {
  const object = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment', metadata: { namespace, name }, spec }
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(object))
}

function read({ developer }: Rig, name: string) {
  return developer('GET', `/api/agents/${namespace}/${name}`)
}

async function ready(rig: Rig, name: string): Promise<unknown> {
  return until(
    `${name} serves its newest revision`,
    () => read(rig, name),
    (body) =>
      at(body, 'status', 'observedGeneration') === at(body, 'metadata', 'generation') &&
      condition(body, 'Ready') === 'True' &&
      at(body, 'status', 'candidateRevision') === undefined,
    150_000,
  )
}

async function ask({ developer }: Rig, name: string, input: unknown): Promise<unknown> {
  const run = { agent: { namespace, name }, input, timeout: '50s' }
  const { body } = await developer('POST', '/api/invoke', run)
  assert.equal(at(body, 'state'), 'succeeded', JSON.stringify(body))
  return at(body, 'output')
}

function reasonOf(body: unknown, type: string): unknown {
  const all = at(body, 'status', 'conditions')
  return Array.isArray(all)
    ? at(
        all.find((one) => at(one, 'type') === type),
        'reason',
      )
    : undefined
}

async function podOf({ cluster }: Pick<Rig, 'cluster'>, name: string): Promise<unknown> {
  const list: unknown = JSON.parse(
    await inNamespace(cluster, ['get', 'pods', '-l', `mesh.dev/agent=${name}`, '-o', 'json']),
  )
  const items = at(list, 'items')
  return Array.isArray(items) ? items.find((pod) => at(pod, 'metadata', 'deletionTimestamp') === undefined) : undefined
}

/** Attacks from an agent whose environment or image carries the exploit. The exploit works in the agent and in no launcher. */
async function gotNothing(rig: Rig, name: string, rootWrite: string): Promise<void> {
  const body = await ready(rig, name)
  assert.deepEqual([condition(body, 'Isolated'), reasonOf(body, 'Isolated')], ['True', 'SeparateContainers'])
  const got = (await ask(rig, name, 'try')) as Record<string, unknown>
  const { gatewayToken, certificate, writeRoot, writeLauncher, ...rest } = got
  assert.deepEqual(rest, nothing)
  assert.match(String(certificate), /^(answered 401|failed )/, 'R2-N3: the state role certifies no key of the agent')
  assert.match(String(gatewayToken), /^GOT \d+$/, 'PODA3: its own token is readable')
  assert.equal(writeRoot, rootWrite)
  assert.match(String(writeLauncher), /^failed (ENOENT|EACCES|EROFS)$/)
  const pod = String(at(await podOf(rig, name), 'metadata', 'name'))
  const [agentLog, launcherLog] = await Promise.all(
    ['agent', 'launcher'].map((container) => inNamespace(rig.cluster, ['logs', pod, '-c', container])),
  )
  assert.match(agentLog ?? '', /OWNED as 65533/, 'the trick works where it may')
  assert.doesNotMatch(launcherLog ?? '', /OWNED|a line that looks like/, 'PODS1 to PODS3, PODS11: not in the launcher')
}

/** Sets a variable of the manager (`NAME=value`, or `NAME-`), and waits for its new pod. */
async function setManager(cluster: Cluster, variable: string): Promise<void> {
  const system = ['-n', 'mesh-system']
  await cluster.kubectl([...system, 'set', 'env', 'deployment/mesh-manager', variable])
  await cluster.kubectl([...system, 'rollout', 'status', 'deployment/mesh-manager', '--timeout=120s'])
}

test(
  'F8: an agent that tries everything gets nothing of its launcher, in each form, in a restricted namespace with a quota',
  { timeout: 12 * 60_000 },
  async (t) => {
    const images = makeEvilImages(t)
    const fixture = await sharedCluster()
    const { cluster } = fixture
    await cluster.load([images.shell.archive, images.preload.archive])
    await addTeam(cluster, namespace)
    t.after(() => cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']))
    const developer = apiOf(fixture.bffUrl, await makeCaller(cluster, 'alice', 'mesh-developer', namespace))
    const rig: Rig = { cluster, developer, hostAddress: cluster.hostAddress }
    const step = (name: string, work: () => Promise<unknown>): Promise<void> =>
      t.test(name, async () => {
        await work().catch(async (error) => {
          throw new Error(`${String(error)}\n${await whatPodsSay(cluster, namespace)}`, { cause: error })
        })
      })
    await cluster.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted'])
    const hard = { 'requests.cpu': '20', 'limits.cpu': '60', 'requests.memory': '20Gi', 'limits.memory': '60Gi' }
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'all', namespace }, spec: { hard } }
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(quota))
    const model = { route: 'mock' }
    const command = (node: string) => ({ command: [node], args: ['--input-type=module', '-e', agentText] })

    await apply(rig, 'plain', { model, systemPrompt: 'You help.' })
    await apply(rig, 'entry', { model, image: images.shell.ref, runtime: { env: [nodeOptions] } })
    await apply(rig, 'own', {
      model,
      image: images.preload.ref,
      runtime: { ...command('/bin/node'), env: compiler ? [] : [nodeOptions] },
    })
    await apply(rig, 'cmd', { model, runtime: { ...command('node'), env: [nodeOptions] } })

    await step('PODA11, PODA12: a declarative agent runs there', () => ready(rig, 'plain'))
    await step('PODS1, PODS2: an image with its own entrypoint and tools, run as root if it is let', () =>
      gotNothing(rig, 'entry', 'failed EACCES'),
    )
    await step('PODS3: a command in an image that preloads a library into each process', () =>
      gotNothing(rig, 'own', 'failed EACCES'),
    )
    await step('PODS1: a command on the image of the platform', () => gotNothing(rig, 'cmd', 'failed EACCES'))
    await step('SEC8: what no process may have is refused, and says so', async () => {
      const env = (more: object) => ({ runtime: { env: [more] } })
      await apply(rig, 'silent', { model, systemPrompt: 'x', ...env(nodeOptions) })
      const key = { name: 'KEY', valueFrom: { secretKeyRef: { name: 'thief.keys.mesh.dev', key: 'agent.key' } } }
      // The API server itself, by the validation rules of the CRD.
      await assert.rejects(
        apply(rig, 'thief', { image: images.shell.ref, ...env(key) }),
        /Secrets with the keys of agents are for their launchers alone/,
      )
      await until(
        'silent is refused',
        () => read(rig, 'silent'),
        (body) => reasonOf(body, 'Accepted') === 'RuntimeNotUsed',
      )
    })
    await step('PODS6: a flood of events leaves the launcher alive', async () => {
      const { body } = await developer('POST', '/api/runs', {
        agent: { namespace, name: 'cmd' },
        input: { flood: 200_000 },
      })
      const ended = (run: unknown): boolean => /^(succeeded|failed)$/.test(String(at(run, 'state')))
      await until('the run ends', () => developer('GET', `/api/runs/${String(at(body, 'id'))}`), ended, 240_000)
      const statuses = at(await podOf(rig, 'cmd'), 'status', 'initContainerStatuses')
      assert.equal(at(statuses, 0, 'restartCount'), 0)
      assert.equal(await ask(rig, 'cmd', 'hi'), 'honest')
    })
    await step(
      'PODS4: an agent that takes the port of its killed launcher is asked nothing, and its pod is replaced',
      async () => {
        const { notes, url } = await startWitness(t, rig.hostAddress)
        const { privateKey } = generateKeyPairSync('ed25519')
        const identity = createTlsIdentity(privateKey, undefined)
        const env = [
          { name: 'TAKE_OVER', value: JSON.stringify(identity) },
          { name: 'WITNESS', value: url },
        ]
        await apply(rig, 'forger', { model, runtime: { ...command('node'), env } })
        await ready(rig, 'forger')
        assert.equal(await ask(rig, 'forger', 'hi'), 'honest')
        const uid = String(at(await podOf(rig, 'forger'), 'metadata', 'uid'))
        signalProcesses(uid, launcherProcess, 'SIGKILL')
        await until(
          'the agent has the port',
          async () => ({ status: 200, body: notes }),
          () => notes.includes('forger listens'),
        )
        const ids: string[] = []
        for (let n = 0; n < 5; n++) {
          const { body } = await developer('POST', '/api/runs', { agent: { namespace, name: 'forger' }, input: 'hi' })
          ids.push(String(at(body, 'id')))
        }
        await until(
          'the pod is replaced',
          async () => ({ status: 200, body: at(await podOf(rig, 'forger'), 'metadata', 'uid') }),
          (body) => body !== undefined && body !== uid,
          120_000,
        )
        for (const id of ids) {
          const run = await until(
            `run ${id} ends`,
            () => developer('GET', `/api/runs/${id}`),
            (body) => at(body, 'finishedAt') !== null,
            150_000,
          )
          assert.notEqual(at(run, 'output'), 'FORGED BY AGENT', JSON.stringify(run))
          assert.match(
            `${String(at(run, 'state'))} ${JSON.stringify(at(run, 'output'))}`,
            /^succeeded "honest"$|^failed null$/,
          )
        }
        assert.deepEqual(
          notes.filter((one) => one.startsWith('forger was asked')),
          [],
        )
        await ready(rig, 'forger')
        assert.equal(await ask(rig, 'forger', 'hi'), 'honest')
      },
    )
    await step('PODS8: hardened makes root file systems read-only, and runs images by digest only', async () => {
      t.after(() => setManager(cluster, 'MESH_PROFILE-'))
      await setManager(cluster, 'MESH_PROFILE=hardened')
      await until(
        'an image by its tag is refused',
        () => read(rig, 'own'),
        (body) => reasonOf(body, 'Accepted') === 'ImageNeedsDigest',
      )
      await until(
        'the pods of the command are replaced',
        async () => ({ status: 200, body: await podOf(rig, 'cmd') }),
        (pod) =>
          at(pod, 'spec', 'containers', 0, 'securityContext', 'readOnlyRootFilesystem') === true &&
          condition(pod, 'Ready') === 'True',
        150_000,
      )
      await gotNothing(rig, 'cmd', 'failed EROFS')
    })
  },
)
