import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { OTHER, WIDGETS, startTestServer, widget } from './test-server.ts'
import type { TestServer } from './test-server.ts'

// What the differential suite holds against a kube-apiserver, in seconds.

const RBAC = 'rbac.authorization.k8s.io'
const NAMESPACE = '/api/v1/namespaces/default'
const as = { token: OTHER }

/** A server where `other` has a Role of `default` with these verbs on these resources. */
async function granted(t: TestContext, verbs: string[], resources: string[]): Promise<TestServer> {
  const server = await startTestServer(t, { controllers: false })
  const path = `/apis/${RBAC}/v1/namespaces/default`
  const head = { apiVersion: `${RBAC}/v1`, metadata: { name: 'a' } }
  const rules = [{ apiGroups: ['*'], resources, verbs }]
  assert.equal((await server.call('POST', `${path}/roles`, { ...head, kind: 'Role', rules })).code, 201)
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'a' }
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'other' }]
  const binding = { ...head, kind: 'RoleBinding', roleRef, subjects }
  assert.equal((await server.call('POST', `${path}/rolebindings`, binding)).code, 201)
  return server
}

test('SEC10: a Role on namespaces reaches its own namespace and no other', async (t) => {
  const server = await granted(t, ['*'], ['namespaces', 'namespaces/status', 'namespaces/finalize'])
  const merge = { ...as, type: 'application/merge-patch+json' }
  for (const name of ['kube-public', 'default', '']) {
    const path = `${NAMESPACE}/namespaces${name && `/${name}`}`
    assert.equal((await server.call('GET', path, undefined, as)).code, 404, path)
    assert.equal((await server.call('DELETE', path, undefined, as)).code, 404, path)
    assert.equal((await server.call('PATCH', path, { metadata: { labels: { a: 'b' } } }, merge)).code, 404, path)
  }
  assert.equal((await server.call('GET', '/api/v1/namespaces/kube-public', undefined, as)).code, 403)
  assert.equal((await server.call('GET', NAMESPACE, undefined, as)).code, 200)
  assert.equal((await server.call('GET', '/api/v1/namespaces/kube-public')).code, 200)
})

test('SEC15: a PUT or an apply that creates needs the right to create', async (t) => {
  const server = await granted(t, ['get', 'patch', 'update'], ['widgets', 'leases'])
  const apply = { ...as, type: 'application/apply-patch+yaml' }
  const path = `${WIDGETS}/a?fieldManager=x`
  assert.equal((await server.call('PATCH', path, widget('a'), apply)).code, 403)
  assert.equal((await server.call('PATCH', `${path}&dryRun=All`, widget('a'), apply)).code, 403)
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a'
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' } }
  assert.equal((await server.call('PUT', leases, lease, as)).code, 403)
  assert.equal((await server.call('GET', `${WIDGETS}/a`)).code, 404)
  assert.equal((await server.call('POST', WIDGETS, widget('a'))).code, 201)
  assert.equal((await server.call('PATCH', path, widget('a'), apply)).code, 200)
})

test('SEC11: a key of a Secret or ConfigMap that is no file name is a 422 that names it', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  for (const key of ['..', '..a', '../x', '/tmp/x', '', 'a\nb', 'x'.repeat(254)])
    for (const kind of ['Secret', 'ConfigMap']) {
      const object = { apiVersion: 'v1', kind, metadata: { name: 'a' }, data: { [key]: 'YQ==' } }
      const { code, body } = await server.call('POST', `${NAMESPACE}/${kind.toLowerCase()}s`, object)
      assert.equal(code, 422, `${kind} ${key}`)
      const { causes } = body['details'] as { causes: { field: string }[] }
      assert.ok(causes.every(({ field }) => field === `data[${key}]`))
    }
})
