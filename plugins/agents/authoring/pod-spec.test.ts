import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { stringify } from 'yaml'
import type { KubeClient } from '#core/kube/client.ts'
import { KubeError } from '#core/kube/status.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { badPods, fullPod, misshapenPods } from '#schemas/agents/pod-samples.ts'
import { needs } from '#test/harness/find-server.ts'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { createModelGateway } from '../generate/model-gateway.ts'
import { validateSpec } from '../reconcile/spec/validate-spec.ts'
import { toDeployment } from '../reconcile/objects/build-objects.ts'
import { children } from '../reconcile/owned/child-kinds.ts'
import type { ReconcileSettings } from '../contract/reconcile-settings.ts'
import { agentKind } from '../kinds.ts'
import { agentEndpoints } from '../routes/index.ts'
import { schemaReferences } from '../references/references.ts'
import { hookToken } from '../testing/agent-fixture.ts'
import { servePlugin } from '../testing/serve.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

async function setUp(t: TestContext) {
  const gateway = createModelGateway('http://127.0.0.1:1')
  const agents = {
    now: () => new Date(),
    gateway,
    generateRoute: 'mock',
    checks: () => [],
    kinds: () => kindsOf(plugins),
    references: () => schemaReferences,
    documents: () => [],
    runs: undefined,
    budgetOf: () => undefined,
    prompts: () => undefined,
    evalGate: () => undefined,
    effective: () => [],
  }
  return servePlugin(t, 'podspec', () => [...agentKind.endpoints, ...agentEndpoints(agents)])
}

interface Problem {
  readonly code: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

// Without anchors, which agent files do not have.
const yamlOf = (object: object): string => stringify(object, { aliasDuplicateObjects: false })

const head = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment' }
const settings: ReconcileSettings = {
  launcherImage: 'registry.test/launcher:1',
  imagePullPolicy: 'IfNotPresent',
  gatewayUrl: 'http://gateway:4000',
  stateUrl: 'http://state:3002',
  systemNamespace: 'mesh-system',
  isolation: 'container',
  agentUser: 65533,
  launcherResources: {},
  agentResources: {},
  imagePullSecrets: [],
  podAnnotations: ['*'],
  hardened: false,
}

test('spec.pod: the API refuses each invalid field by name, as object, config and YAML', real, async (t) => {
  const { ask, namespace } = await setUp(t)
  const samples = [...badPods, ...misshapenPods.map((pod) => ({ pod, says: '' }))]
  for (const { pod, says } of samples) {
    const object = { ...head, metadata: { name: 'a', namespace }, spec: { image: 'a:1', pod } }
    const sent: [string, unknown, string][] = [
      ['invalid_body', object, '/spec/pod'],
      ['invalid_agent_file', { namespace, config: { name: 'a', image: 'a:1', pod } }, '/config/pod'],
      ['invalid_body', yamlOf(object), '/spec/pod'],
    ]
    for (const [code, body, pointer] of sent) {
      const answer = await ask('developer', 'POST', '/agents?dryRun=All', body)
      const problem = answer.json<Problem>()
      assert.equal(answer.status, 400, `${JSON.stringify(pod)}: ${answer.text}`)
      // A text that nothing can store is refused before it is looked at.
      if (JSON.stringify(pod).includes('\\u0000')) continue
      assert.equal(problem.code, code, answer.text)
      assert.ok(
        problem.errors?.every((one) => one.pointer.startsWith(pointer)),
        answer.text,
      )
      assert.ok(
        problem.errors?.some((one) => one.detail.includes(says)),
        answer.text,
      )
    }
  }
})

test('F8: the API refuses a Secret of the platform in every kind of reference and on every write', real, async (t) => {
  const { ask, admin, namespace, as } = await setUp(t)
  const secret = (name: string, labels: Record<string, string>) =>
    admin.create(children.Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels } })
  await secret('role', { 'app.kubernetes.io/managed-by': 'mesh' })
  await secret('mine', {})
  const specs: Readonly<Record<string, (name: string) => AgentDeploymentSpec>> = {
    '/spec/runtime/env/0/valueFrom/secretKeyRef': (name) => ({
      image: 'a:1',
      runtime: { env: [{ name: 'K', valueFrom: { secretKeyRef: { name, key: 'k' } } }] },
    }),
    '/spec/pod/imagePullSecrets/0': (name) => ({ image: 'a:1', pod: { imagePullSecrets: [{ name }] } }),
    '/spec/pod/volumes/0/secret': (name) => ({
      image: 'a:1',
      pod: { volumes: [{ name: 'v', secret: { secretName: name } }] },
    }),
    '/spec/pod/volumes/0/projected/sources/0/secret': (name) => ({
      image: 'a:1',
      pod: { volumes: [{ name: 'v', projected: { sources: [{ secret: { name } }] } }] },
    }),
  }
  const made = await ask('developer', 'POST', '/agents', {
    ...head,
    metadata: { name: 'a', namespace },
    spec: { image: 'a:1' },
  })
  assert.equal(made.status, 201, made.text)
  for (const [pointer, specOf] of Object.entries(specs)) {
    const object = (name: string) => ({ ...head, metadata: { name: 'a', namespace }, spec: specOf(name) })
    const writes: [string, string, (name: string) => unknown][] = [
      ['POST', '/agents?dryRun=All', (name) => ({ ...object(name), metadata: { name: 'b', namespace } })],
      ['POST', '/agents?dryRun=All', (name) => yamlOf({ ...object(name), metadata: { name: 'b', namespace } })],
      ['PUT', `/agents/${namespace}/a?dryRun=All`, object],
      ['PUT', `/agents/${namespace}/a?dryRun=All`, (name) => yamlOf(object(name))],
      ['POST', `/agents/${namespace}/a/fork?dryRun=All`, (name) => ({ name: 'b', overrides: specOf(name) })],
    ]
    for (const [method, path, body] of writes) {
      const refused = await ask('developer', method, path, body('role'))
      assert.equal(refused.status, 400, `${method} ${pointer}: ${refused.text}`)
      assert.equal(refused.json<Problem>().errors?.[0]?.pointer, pointer)
      const accepted = await ask('developer', method, path, body('mine'))
      assert.ok(accepted.status < 300, `${method} ${pointer}: ${accepted.text}`)
    }
    // By its name alone, for every client including kubectl, and before the Secret exists.
    const direct = as('developer').create(AgentDeployment, {
      ...object('other.keys.mesh.dev'),
      metadata: { name: 'b', namespace },
    })
    await assert.rejects(direct, { status: 422 }, pointer)
  }
})

const deep = JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) as unknown
const prototype = JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": {}}, "toString": 1}') as unknown
const hostile: readonly unknown[] = [
  'a\u0000b',
  '\ud800',
  1e308,
  -1,
  true,
  [],
  {},
  deep,
  prototype,
  'a'.repeat(20_000),
  '$(MESH_STATE_TOKEN_FILE)',
]

/** Copies of a value, each with one part of it replaced; deep parts too. */
function* replaced(value: unknown, by: unknown): Generator<unknown> {
  yield by
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value))
    for (const other of replaced(child, by))
      yield Array.isArray(value)
        ? value.map((item: unknown, index) => (String(index) === key ? other : item))
        : { ...value, [key]: other }
}

test(
  'spec.pod: hostile values are refused by API and cluster, or result in pods that the cluster validates',
  real,
  async (t) => {
    const { ask, namespace, as, admin } = await setUp(t)
    const developer = as('developer')
    const pods = hostile.flatMap((by) => [...replaced(fullPod, by)])
    assert.ok(pods.length > 1_000, String(pods.length))
    await mapConcurrently(pods, async (pod) => {
      const spec = { image: 'a:1', pod } as AgentDeploymentSpec
      const object = { ...head, metadata: { name: 'a', namespace }, spec }
      const answer = await ask('developer', 'POST', '/agents?dryRun=All', object)
      const about = `${answer.text.slice(0, 500)} for ${JSON.stringify(pod)}`
      assert.ok([201, 400, 422].includes(answer.status), about)
      // What kubectl sends: without the API's checks.
      const stored = await developer
        .create<AgentDeploymentObject>(AgentDeployment, object, { dryRun: true })
        .catch((error: unknown) => {
          assert.ok(error instanceof KubeError && [400, 422].includes(error.status), `${String(error)} ${about}`)
          return undefined
        })
      if (stored === undefined) assert.notEqual(answer.status, 201, about)
      else await judged(stored, admin)
    })
  },
)

/** The manager refuses the stored spec, or the cluster accepts or refuses its pods. Nothing throws. */
async function judged(stored: AgentDeploymentObject, admin: KubeClient): Promise<void> {
  if (validateSpec(stored, settings) !== undefined) return
  const config = { name: 'a', namespace: stored.metadata.namespace ?? '', uid: 'u' }
  const agent = { ...stored, metadata: { ...stored.metadata, uid: 'u' } }
  const made = toDeployment({ agent, revision: 'a-x', revisionNumber: 1, hookToken, config }, settings)
  await admin
    .create(children.Deployment, made, { dryRun: true })
    .catch((error: unknown) =>
      assert.ok(error instanceof KubeError && [400, 422].includes(error.status), String(error)),
    )
}
