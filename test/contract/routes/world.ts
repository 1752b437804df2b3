import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { KubeObject } from '#core/kube/client.ts'
import type { KindSlot } from '#core/plugin/kind-slot.ts'
import type { StoredSlot } from '#core/plugin/stored-slot.ts'
import { plugins } from '#plugins/index.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { Tenant } from '#schemas/crds/tenant.ts'
import { GROUP } from '#schemas/names/group.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'
import { makeCredentials } from './credentials.ts'
import type { Credential } from './credentials.ts'
import { fillDataset } from './fill-dataset.ts'
import { fillStored } from './fill-stored.ts'
import { tenantNamed } from './tenant-named.ts'

/** The two tenants: viewer and developer have roles in `demo`, other-tenant in `other`, operator and admin in both. */
export const tenants = ['demo', 'other'] as const

/** Name of the agent and the template in both namespaces. */
export const EXISTING = 'matrix'
/** A name without an object. */
export const MISSING = 'missing'

/** A platform with an agent, a template and a finished run in each tenant's namespace. */
export interface World {
  readonly platform: Platform
  readonly credentials: readonly Credential[]
  /** Finished run by namespace. */
  readonly runs: Readonly<Record<string, string>>
  /** Erasure of a subject without data by namespace. */
  readonly erasures: Readonly<Record<string, string>>
  /** Running pod of the agent by namespace. */
  readonly pods: Readonly<Record<string, string>>
  /** The stored objects of kinds with CRUD routes, by plural and namespace. */
  readonly objects: Readonly<Record<string, Readonly<Record<string, KubeObject>>>>
}

/** Creates the objects as admin, at the API server or through the API. */
export async function fill(platform: Platform): Promise<World> {
  const filled = await Promise.all(tenants.map((namespace) => fillNamespace(platform, namespace)))
  const by = <T>(pick: (one: (typeof filled)[number]) => T): Record<string, T> =>
    Object.fromEntries(filled.map((one) => [one.namespace, pick(one)]))
  await platform.admin.create(Tenant, tenantNamed(EXISTING))
  await allowReviewedRights(platform, 'other')
  const credentials = await makeCredentials(platform)
  await untilQuiet(platform)
  return {
    platform,
    credentials,
    runs: by(({ run }) => run),
    erasures: by(({ erasure }) => erasure),
    pods: by(({ pod }) => pod),
    objects: Object.fromEntries(
      routedKinds.map(({ kind: { plural } }) => [plural, by(({ objects }) => objects.get(plural) as KubeObject)]),
    ),
  }
}

const spec = { model: { route: 'mock' }, systemPrompt: 'You are part of a matrix.' }

/** The agent of each namespace. */
export function agentNamed(namespace: string, name: string): KubeObject & { spec: typeof spec } {
  return { apiVersion: AgentDeployment.apiVersion, kind: AgentDeployment.kind, metadata: { name, namespace }, spec }
}

/** The template of each namespace. */
export function templateNamed(namespace: string, name: string) {
  return {
    apiVersion: AgentTemplate.apiVersion,
    kind: AgentTemplate.kind,
    metadata: { name, namespace },
    spec: { for: 'agent', title: 'Matrix', template: { spec } },
  }
}

/** The provider of each namespace; its Secret does not exist. */
function providerNamed(namespace: string, name: string) {
  return {
    apiVersion: ModelProvider.apiVersion,
    kind: ModelProvider.kind,
    metadata: { name, namespace },
    spec: { type: 'openai', baseUrl: 'https://models.example/v1', secretRef: { name: 'openai', key: 'apiKey' } },
  }
}

/** Namespaced kinds with CRUD routes, each with the object that the suite writes. Of the sample of an agent, references would have to exist. */
export const routedKinds: readonly KindSlot[] = plugins
  .flatMap(({ kinds = [] }) => kinds)
  .filter(({ kind, endpoints }) => kind.namespaced && endpoints.length > 0)
  .map((slot) => (slot.kind.kind === AgentDeployment.kind ? { ...slot, sample: agentNamed('', '') } : slot))

/** Stored resources of the built-in plugins. */
export const storedSlots: readonly StoredSlot[] = plugins.flatMap(({ stored = [] }) => stored)

/** The sample of a kind under another name. */
export function sampleNamed({ sample }: KindSlot, namespace: string, name: string): KubeObject {
  return { ...sample, metadata: { name, namespace } }
}

async function fillNamespace({ admin, send, kube, tokens, processes }: Platform, namespace: string) {
  const made = await send({
    method: 'POST',
    path: '/api/agents',
    bearer: tokens.admin,
    body: agentNamed(namespace, EXISTING),
  })
  assert.equal(made.status, 201, made.text)
  await admin.create(AgentTemplate, templateNamed(namespace, EXISTING))
  await admin.create(ModelProvider, providerNamed(namespace, EXISTING))
  for (const slot of routedKinds)
    if (slot.kind.kind !== AgentDeployment.kind) await admin.create(slot.kind, sampleNamed(slot, namespace, EXISTING))
  for (const slot of storedSlots) await fillStored(send, slot, { bearer: tokens.admin, namespace, name: EXISTING })
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', EXISTING) }
  const end = performance.now() + 60_000
  let agent: KubeObject
  do {
    await pause(50)
    agent = await admin.get(AgentDeployment, ref)
    const output = processes.manager?.output()
    assert.ok(performance.now() < end, `not ready: ${JSON.stringify(agent)}\n${output}`)
  } while (!isReady(agent) || !(await hasAuthor({ send, tokens }, namespace)))
  const invoked = await send({
    method: 'POST',
    path: '/api/invoke',
    bearer: tokens.admin,
    body: { agent: { namespace, name: EXISTING }, input: 'Hi.', conversationId: `talk-${namespace}` },
  })
  assert.equal(invoked.status, 200, `${invoked.text}\n${processes.worker?.output()}`)
  const { runId, state } = invoked.json<{ runId: string; state: string }>()
  assert.equal(state, 'succeeded', invoked.text)
  const selector = encodeURIComponent(`mesh.dev/agent=${EXISTING}`)
  const pods = await kube({
    path: `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`,
    bearer: tokens.admin,
  })
  const pod = pods.json<{ items: KubeObject[] }>().items[0]?.metadata.name ?? ''
  const objects = new Map<string, KubeObject>()
  for (const { kind } of routedKinds) objects.set(kind.plural, await admin.get(kind, ref))
  const erasing = await send({
    method: 'POST',
    path: '/api/erasures',
    bearer: tokens.admin,
    body: { subject: 'erased@contract.example', namespace },
  })
  assert.equal(erasing.status, 202, erasing.text)
  await fillDataset({ send, bearer: tokens.admin, namespace, name: EXISTING }, runId)
  return { namespace, run: runId, erasure: erasing.json<{ id: string }>().id, pod, objects }
}

function isReady(agent: KubeObject): boolean {
  const { status } = agent as { status?: { conditions?: { type: string; status: string }[] } }
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
}

// The manager records the author of a revision once the audit log has it.
async function hasAuthor({ send, tokens }: Pick<Platform, 'send' | 'tokens'>, namespace: string): Promise<boolean> {
  const path = `/api/agents/${namespace}/${EXISTING}/versions`
  const versions = await send({ path, bearer: tokens.admin })
  return versions.json<{ items: { createdByExact: boolean }[] }>().items.every(({ createdByExact }) => createdByExact)
}

// Waits until reconciliation has ended, so that later requests to the API server are caused by requests of the suite.
async function untilQuiet({ upstream }: Platform): Promise<void> {
  const end = performance.now() + 60_000
  for (let quiet = 0; quiet < 5;) {
    const mark = await upstream.mark()
    await pause(100)
    const since = await upstream.since(mark)
    const busy = since.some(({ verb }) => verb !== 'watch')
    assert.ok(performance.now() < end, `still busy: ${JSON.stringify(since)}`)
    quiet = busy ? 0 : quiet + 1
  }
}

// The shipped roles grant these rights in the whole cluster. A grant in one namespace shows whether that namespace is reviewed.
const rules = [
  { apiGroups: [GROUP], resources: ['auditlogs'], verbs: ['list'] },
  { apiGroups: [GROUP], resources: ['mcpapprovals'], verbs: ['approve'] },
  { apiGroups: [GROUP], resources: ['evalsuites'], verbs: ['override'] },
  { apiGroups: [GROUP], resources: ['mcpservers'], verbs: ['publish'] },
]

async function allowReviewedRights({ kube, tokens }: Platform, namespace: string): Promise<void> {
  const group = 'rbac.authorization.k8s.io'
  const of = (kind: string, more: object): object => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: 'matrix-auditor', namespace },
    ...more,
  })
  const objects = {
    roles: of('Role', { rules }),
    rolebindings: of('RoleBinding', {
      roleRef: { apiGroup: group, kind: 'Role', name: 'matrix-auditor' },
      subjects: [{ apiGroup: group, kind: 'User', name: 'other-tenant' }],
    }),
  }
  for (const [plural, body] of Object.entries(objects)) {
    const path = `/apis/${group}/v1/namespaces/${namespace}/${plural}`
    const answer = await kube({ method: 'POST', path, bearer: tokens.admin, body })
    assert.equal(answer.status, 201, answer.text)
  }
}
