import { until } from '#test/chaos/until.ts'
import { at } from './api.ts'
import type { Cluster } from './cluster.ts'

/** Roles that run permanently, each a Deployment `mesh-<role>`. */
export const roles = ['bff', 'worker', 'manager', 'gateway', 'state'] as const

/** See {@link roles}. */
export type PodRole = (typeof roles)[number]

/**
 * How pods of a role are removed: `kill` without grace, `drain` evicts every pod, `delete` gives one pod its grace period, `restart` is a
 * rolling update.
 */
export type Way = 'kill' | 'drain' | 'delete' | 'restart'

const namespace = 'mesh-system'

/** Injects one fault. Resolves when the cluster has accepted it, for `drain` when the last pod is evicted. */
export async function injure(cluster: Cluster, role: PodRole, way: Way): Promise<string> {
  const pods = await podsOf(cluster, role)
  const [first] = pods
  if (first === undefined) throw new Error(`no pod of ${role}`)
  if (way === 'restart') {
    await inSystem(cluster, ['rollout', 'restart', `deployment/mesh-${role}`])
    await inSystem(cluster, ['rollout', 'status', `deployment/mesh-${role}`, '--timeout=120s'])
    return `${pods.length} pods`
  }
  if (way === 'drain') return drain(cluster, pods)
  const force = way === 'kill' ? ['--grace-period=0', '--force'] : []
  await inSystem(cluster, ['delete', 'pod', first, '--wait=false', ...force])
  return '1 pod'
}

/** Whether every replica of a role is ready and no older one exists. */
export async function isWhole(cluster: Cluster, role: PodRole): Promise<boolean> {
  const text = await inSystem(cluster, ['get', 'deployment', `mesh-${role}`, '-o', 'json'])
  const deployment: unknown = JSON.parse(text)
  const wanted = at(deployment, 'spec', 'replicas')
  const settled = at(deployment, 'status', 'observedGeneration') === at(deployment, 'metadata', 'generation')
  const have = ['replicas', 'readyReplicas', 'updatedReplicas'].map((name) => at(deployment, 'status', name))
  return settled && have.every((count) => count === wanted) && (await podsOf(cluster, role)).length === wanted
}

// As `kubectl drain` does: evicts each pod, and retries while the disruption budget refuses (429).
async function drain(cluster: Cluster, pods: readonly string[]): Promise<string> {
  let refused = 0
  for (const name of pods) {
    await until(
      `${name} is evicted`,
      async () => {
        try {
          await evict(cluster, name)
          return true
        } catch (error) {
          if (!/disruption budget/.test(String(error))) throw error
          refused++
          return false
        }
      },
      120_000,
    )
  }
  return `${pods.length} pods, ${refused === 0 ? 'never' : 'at first'} refused by the budget`
}

async function evict(cluster: Cluster, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
  await cluster.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(body))
}

async function podsOf(cluster: Cluster, role: PodRole): Promise<string[]> {
  const names = await inSystem(cluster, ['get', 'pods', '-l', `mesh.dev/role=${role}`, '-o', 'name'])
  return names
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((name) => name.replace('pod/', ''))
}

function inSystem(cluster: Cluster, args: readonly string[]): Promise<string> {
  return cluster.kubectl(['-n', namespace, ...args])
}
