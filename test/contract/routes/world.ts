import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { KubeObject } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import type { Platform } from '#test/flows/platform.ts'
import { makeCredentials } from './credentials.ts'
import type { Credential } from './credentials.ts'

/** The two tenants: viewer and developer live in `demo`, other-tenant in `other`, operator and admin in both. */
export const tenants = ['demo', 'other'] as const

/** The name of the agent and of the template that exist in both namespaces. */
export const EXISTING = 'matrix'
/** A name that nothing has. */
export const MISSING = 'missing'

/** A platform with an agent, a template and a finished run in the namespace of each tenant. */
export interface World {
  readonly platform: Platform
  readonly credentials: readonly Credential[]
  /** A finished run by namespace. */
  readonly runs: Readonly<Record<string, string>>
  /** The running pod of the agent by namespace. */
  readonly pods: Readonly<Record<string, string>>
  /** The agent as it is, by namespace. */
  readonly agents: Readonly<Record<string, KubeObject>>
}

/** Fills a platform; everything is done by admin, at the API server or the API. */
export async function fill(platform: Platform): Promise<World> {
  const filled = await Promise.all(tenants.map((namespace) => fillNamespace(platform, namespace)))
  const by = <T>(pick: (one: (typeof filled)[number]) => T): Record<string, T> =>
    Object.fromEntries(filled.map((one) => [one.namespace, pick(one)]))
  const credentials = await makeCredentials(platform)
  await untilQuiet(platform)
  return {
    platform,
    credentials,
    runs: by(({ run }) => run),
    pods: by(({ pod }) => pod),
    agents: by(({ agent }) => agent),
  }
}

const spec = { model: { route: 'mock' }, systemPrompt: 'You are part of a matrix.' }

/** The agent that every namespace has. */
export function agentNamed(namespace: string, name: string): KubeObject & { spec: typeof spec } {
  return { apiVersion: AgentDeployment.apiVersion, kind: AgentDeployment.kind, metadata: { name, namespace }, spec }
}

/** The template that every namespace has. */
export function templateNamed(namespace: string, name: string) {
  return {
    apiVersion: AgentTemplate.apiVersion,
    kind: AgentTemplate.kind,
    metadata: { name, namespace },
    spec: { for: 'agent', title: 'Matrix', template: { spec } },
  }
}

async function fillNamespace({ admin, send, kube, tokens, processes }: Platform, namespace: string) {
  await admin.create(AgentDeployment, agentNamed(namespace, EXISTING))
  await admin.create(AgentTemplate, templateNamed(namespace, EXISTING))
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', EXISTING) }
  let agent: KubeObject
  do {
    await pause(50)
    agent = await admin.get(AgentDeployment, ref)
  } while (!isReady(agent))
  const invoked = await send({
    method: 'POST',
    path: '/api/invoke',
    bearer: tokens.admin,
    body: { agent: { namespace, name: EXISTING }, input: 'Hi.' },
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
  return { namespace, run: runId, pod, agent: await admin.get(AgentDeployment, ref) }
}

function isReady(agent: KubeObject): boolean {
  const { status } = agent as { status?: { conditions?: { type: string; status: string }[] } }
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
}

// What was just made is reconciled for a while; who asks the API server after that was caused by a request.
async function untilQuiet({ upstream }: Platform): Promise<void> {
  for (let quiet = 0; quiet < 5;) {
    const mark = await upstream.mark()
    await pause(100)
    const busy = (await upstream.since(mark)).some(({ verb }) => verb !== 'watch')
    quiet = busy ? 0 : quiet + 1
  }
}
