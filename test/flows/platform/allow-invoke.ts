import assert from 'node:assert/strict'
import type { Platform } from './running-platform.ts'

const rbac = 'rbac.authorization.k8s.io'

/** Allows a user to invoke one agent of a namespace, and nothing else. */
export async function allowInvoke(
  { kube, tokens }: Pick<Platform, 'kube' | 'tokens'>,
  user: string,
  agent: string,
  namespace = 'default',
): Promise<void> {
  const create = async (plural: string, body: object): Promise<void> => {
    const path = `/apis/${rbac}/v1/namespaces/${namespace}/${plural}`
    const made = await kube({ method: 'POST', path, bearer: tokens.admin, body })
    assert.equal(made.status, 201, made.text)
  }
  const rule = {
    apiGroups: ['mesh.dev'],
    resources: ['agentdeployments/invoke'],
    resourceNames: [agent],
    verbs: ['create'],
  }
  const name = `guest-${agent}`
  await create('roles', { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name }, rules: [rule] })
  await create('rolebindings', {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'Role', name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  })
}
