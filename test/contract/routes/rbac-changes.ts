import assert from 'node:assert/strict'
import { GROUP, SYSTEM_NAMESPACE } from '#schemas/names/group.ts'
import type { RawAnswer } from '#test/flows/platform/send.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'
import { EXISTING, tenants } from './world.ts'
import { pick } from './sample.ts'

const base = '/apis/rbac.authorization.k8s.io/v1'
const apiGroup = 'rbac.authorization.k8s.io'
const label = 'mesh.dev/walk'

/** Random changes of RBAC that can be undone. */
export interface RbacChanges {
  /** Makes one change and describes it. */
  change(): Promise<string>
  /** Removes everything that the changes created. */
  clear(): Promise<void>
}

const plurals = ['agentdeployments', 'agenttemplates', 'runs', 'auditlogs', 'modelroutes', 'agentdeployments/invoke']
const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete', 'watch']
const shippedRoles = ['mesh-viewer', 'mesh-developer', 'mesh-operator']
const subjects = [
  ...['viewer', 'developer', 'other-tenant'].map((name) => ({ apiGroup, kind: 'User', name })),
  { kind: 'ServiceAccount', name: 'mesh-bff', namespace: SYSTEM_NAMESPACE },
  { apiGroup, kind: 'Group', name: `system:serviceaccounts:${SYSTEM_NAMESPACE}` },
  { apiGroup, kind: 'Group', name: 'system:authenticated' },
]

/**
 * Grants and revokes by bindings, rules with and without resource names, aggregated roles, groups, and namespaces deleted with their
 * bindings.
 */
export function createRbac({ kube, tokens }: Platform, random: () => number): RbacChanges {
  const bearer = tokens.admin
  const made: string[] = []
  let count = 0
  const send = async (method: string, path: string, body?: object): Promise<RawAnswer> => {
    const answer = await kube({ method, path, bearer, ...(body === undefined ? {} : { body }) })
    assert.ok(answer.status < 300 || answer.status === 404, `${method} ${path}: ${answer.text}`)
    return answer
  }
  const create = async (path: string, kind: string, object: object): Promise<string> => {
    const name = `walk-${++count}`
    const named = { metadata: { name, labels: { [label]: 'true' } } }
    await send('POST', path, { apiVersion: `${apiGroup}/v1`, kind, ...named, ...object })
    made.push(`${path}/${name}`)
    return name
  }
  const inTenant = (plural: string): string => `${base}/namespaces/${pick(random, tenants)}/${plural}`
  const bind = (path: string, kind: string, role: { kind: string; name: string }): Promise<string> =>
    create(path, kind, { roleRef: { apiGroup, ...role }, subjects: [pick(random, subjects)] })
  const rule = (): object => ({
    apiGroups: [GROUP],
    resources: [pick(random, plurals), pick(random, plurals)],
    verbs: [pick(random, verbs), pick(random, verbs), pick(random, verbs)],
    ...(random() < 0.3 ? { resourceNames: [EXISTING] } : {}),
  })
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    'bind a shipped role': () =>
      bind(inTenant('rolebindings'), 'RoleBinding', { kind: 'ClusterRole', name: pick(random, shippedRoles) }),
    'bind a shipped role in the cluster': () =>
      bind(`${base}/clusterrolebindings`, 'ClusterRoleBinding', {
        kind: 'ClusterRole',
        name: pick(random, shippedRoles),
      }),
    'a role of its own, bound': async () => {
      const namespace = pick(random, tenants)
      const name = await create(`${base}/namespaces/${namespace}/roles`, 'Role', { rules: [rule(), rule()] })
      await bind(`${base}/namespaces/${namespace}/rolebindings`, 'RoleBinding', { kind: 'Role', name })
    },
    'an aggregated role, bound': async () => {
      const selector = { [`mesh.dev/walk-${count + 1}`]: 'true' }
      const clusterRoles = `${base}/clusterroles`
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: selector }] }
      const name = await create(clusterRoles, 'ClusterRole', { aggregationRule, rules: [] })
      await bind(inTenant('rolebindings'), 'RoleBinding', { kind: 'ClusterRole', name })
      const part = `walk-${++count}`
      const metadata = { name: part, labels: selector }
      await send('POST', clusterRoles, {
        apiVersion: `${apiGroup}/v1`,
        kind: 'ClusterRole',
        metadata,
        rules: [rule(), rule()],
      })
      made.push(`${clusterRoles}/${part}`)
    },
    'a namespace goes with its binding': async () => {
      const namespace = `walk-${++count}`
      await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
      await bind(`${base}/namespaces/${namespace}/rolebindings`, 'RoleBinding', {
        kind: 'ClusterRole',
        name: 'mesh-developer',
      })
      made.pop()
      await send('DELETE', `/api/v1/namespaces/${namespace}`)
    },
  }
  const revoke = async (): Promise<void> => {
    const [path] = made.splice(Math.floor(random() * made.length), 1)
    if (path !== undefined) await send('DELETE', path)
  }
  return {
    change: async () => {
      // Undoes as many changes as it makes, so that permissions neither accumulate nor vanish.
      if (random() < 0.3 + made.length / 20) {
        await revoke()
        return 'revoke'
      }
      const name = pick(random, Object.keys(kinds))
      await kinds[name]?.()
      return name
    },
    clear: async () => {
      while (made.length > 0) await revoke()
    },
  }
}
