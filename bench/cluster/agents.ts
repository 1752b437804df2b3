import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { KubePool } from '#core/kube/connection-pool.ts'
import { toStatus } from '#plugins/agents/reconcile/status/agent-status.ts'
import { podRoutes } from '#plugins/agents/reconcile/status/model-routes.ts'
import { expandAgentFile } from '#schemas/agent-file/expand-agent-file.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { root } from '../tools/platform.ts'

const kinds = kindsOf(plugins)

type Cluster = ReturnType<typeof createKubeClient>

const writers = 20
const served = { serving: true, complete: true, scaledToZero: false, failure: undefined }

/**
 * Agents as the platform stores them: `examples/assistant.yaml` with distinct prompts, applied, with the status of a serving agent and
 * managed fields.
 */
export async function createAgents(pool: KubePool, bearer: string, count: number): Promise<void> {
  const cluster = createKubeClient({ server: pool.server, pool, bearer })
  const [example] = expandAgentFile(readFileSync(join(root, 'examples', 'assistant.yaml'), 'utf8')).documents
  const promptOf = createPrompts()
  let index = 0
  const write = async (): Promise<void> => {
    for (let n = index++; n < count; n = index++) {
      const metadata = { ...example?.metadata, name: `bench-${String(n).padStart(5, '0')}`, namespace: 'default' }
      await createAgent(cluster, { ...example, metadata, spec: { ...example?.spec, systemPrompt: promptOf(n) } })
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
}

// Half a kilobyte of prose from different positions, since equal prompts would compress to nothing.
function createPrompts(): (index: number) => string {
  const folder = join(root, 'docs', 'operations')
  const pages = globSync('*.md', { cwd: folder }).toSorted()
  const text = pages.map((page) => readFileSync(join(folder, page), 'utf8')).join('')
  return (index) => {
    const start = (index * 7_919) % (text.length - 500)
    return text.slice(start, start + 500)
  }
}

interface Applied {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: object
}

async function createAgent(cluster: Cluster, body: Applied): Promise<void> {
  const { name, namespace } = body.metadata
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
  const applied = { type: 'apply', body, force: false } as const
  const agent = await cluster.patch<AgentDeploymentObject>(AgentDeployment, ref, applied, { fieldManager: 'kubectl' })
  const deployed = `${name}-7c9f6d5b48`
  const none = { refusal: undefined, unresolved: undefined, blocked: undefined, podProblem: undefined }
  const routes = podRoutes(agent, [], { deployed, pods: [] })
  const status = toStatus(
    { agent, deployed, progress: served, ...none, ...routes },
    { isolation: 'container' },
    new Date(),
  )
  await cluster.patch(AgentDeployment, ref, { type: 'merge', body: { status } }, { subresource: 'status' })
}

/** Installs the platform's kinds on an API server and waits until they are served. */
export async function installKinds(pool: KubePool, bearer: string): Promise<void> {
  const cluster = createKubeClient({ server: pool.server, pool, bearer })
  const group = 'apiextensions.k8s.io'
  const definitions = { group, version: 'v1', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition' }
  for (const kind of kinds) await cluster.create({ ...definitions, namespaced: false }, { ...toCrd(kind) })
  while (!(await isServed(cluster))) continue
}

async function isServed(cluster: Cluster): Promise<boolean> {
  return cluster.list(AgentDeployment, { limit: 1 }).then(
    () => true,
    () => false,
  )
}
