import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { APPLIED_ANNOTATION, applyOwned, isControlledBy, ownerReferenceOf } from './apply-owned.ts'
import { toConditionsStatus } from './conditions.ts'
import { writeStatus } from './write-status.ts'

const real = needs('etcd', 'kube-apiserver')
const kind = (group: string, plural: string, name: string, namespaced = true): Resource => ({
  group,
  version: 'v1',
  plural,
  kind: name,
  namespaced,
})
const configMaps = kind('', 'configmaps', 'ConfigMap')
const deployments = kind('apps', 'deployments', 'Deployment')

/** A namespace with an owner, and a client that lists its writes. */
async function start(t: TestContext) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const created = await admin.create(kind('', 'namespaces', 'Namespace', false), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: `owned-${process.pid}-${Date.now().toString(36)}` },
  })
  const namespace = created.metadata.name
  const configMap = (name: string, data?: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    ...(data && { data }),
  })
  const writes: string[] = []
  const cluster: KubeClient = {
    ...admin,
    patch: (resource, ref, patch, options) => {
      writes.push(`${patch.type} ${ref.name}`)
      return admin.patch(resource, ref, patch, options)
    },
  }
  const owner = await admin.create(configMaps, configMap('owner'))
  const ref = (name: string) => ({ namespace: parseLabel('namespace', namespace), name: parseName('name', name) })
  return { admin, cluster, configMap, namespace, owner, ref, writes }
}

test('applyOwned: an object gets its owner, is sent once, and again after a change on either side', real, async (t) => {
  const { admin, cluster, configMap, owner, ref, writes } = await start(t)
  const apply = (data: object) => applyOwned({ cluster, owner, resource: configMaps, object: configMap('child', data) })
  const first = await apply({ a: '1', b: '2' })
  assert.deepEqual([first.changed, writes.length], [true, 1])
  assert.deepEqual(first.object.metadata.ownerReferences, [ownerReferenceOf(owner)])
  assert.ok(isControlledBy(first.object, owner))
  assert.equal((await apply({ b: '2', a: '1' })).changed, false)
  assert.equal(writes.length, 1, 'nothing is sent for an object that is as desired')
  // Another manager adds its own field, which stays, and changes a desired one, which is restored.
  await admin.patch(configMaps, ref('child'), { type: 'merge', body: { data: { c: '3' } } })
  assert.equal((await apply({ a: '1', b: '2' })).changed, false)
  await admin.patch(configMaps, ref('child'), { type: 'merge', body: { data: { a: 'other' } } })
  assert.deepEqual((await apply({ a: '1', b: '2' })).object['data'], { a: '1', b: '2', c: '3' })
  // What is no longer desired is removed, although every desired value is there.
  const fewer = await apply({ a: '1' })
  assert.deepEqual([fewer.changed, fewer.object['data']], [true, { a: '1', c: '3' }])
  assert.notEqual(
    fewer.object.metadata.annotations?.[APPLIED_ANNOTATION],
    first.object.metadata.annotations?.[APPLIED_ANNOTATION],
  )
})

test(
  'applyOwned: an object of another owner, or of an earlier owner of the same name, is left unchanged',
  real,
  async (t) => {
    const { admin, cluster, configMap, owner, ref, writes } = await start(t)
    await admin.create(configMaps, configMap('foreign', { a: '1' }))
    const apply = (by: KubeObject) =>
      applyOwned({ cluster, owner: by, resource: configMaps, object: configMap('foreign', { a: '2' }) })
    await assert.rejects(apply(owner), {
      name: 'OwnedByOther',
      message: 'ConfigMap foreign exists and has another owner.',
    })
    const earlier = { ...owner, metadata: { ...owner.metadata, uid: 'earlier' } }
    await applyOwned({ cluster, owner, resource: configMaps, object: configMap('mine') })
    await assert.rejects(applyOwned({ cluster, owner: earlier, resource: configMaps, object: configMap('mine') }), {
      name: 'OwnedByOther',
    })
    for (const wrong of [
      { ...owner, metadata: { name: 'owner' } },
      { ...owner, kind: undefined as unknown as string },
    ])
      await assert.rejects(apply(wrong), /the owner owner must have apiVersion, kind and uid/)
    assert.deepEqual(writes, ['apply mine'])
    assert.deepEqual((await admin.get(configMaps, ref('foreign')))['data'], { a: '1' })
  },
)

test(
  'writeStatus: an equal status is not sent, a removed field goes, and a successor gets none of it',
  real,
  async (t) => {
    const { admin, cluster, namespace, ref, writes } = await start(t)
    const labels = { app: 'x' }
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    }
    const fresh = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace }, spec }
    type Status = { replicas?: number; observedGeneration?: number }
    const read = () => admin.get<KubeObject<unknown, Status>>(deployments, ref('d'))
    await admin.create(deployments, fresh)
    const before = await read()
    assert.equal(await writeStatus(cluster, deployments, before, { replicas: 2, observedGeneration: 1 }), true)
    const written = await read()
    assert.equal(await writeStatus(cluster, deployments, written, { observedGeneration: 1, replicas: 2 }), true)
    assert.equal(writes.length, 1)
    assert.equal(await writeStatus(cluster, deployments, written, { observedGeneration: 1 }), true)
    assert.deepEqual((await read()).status, { observedGeneration: 1 })
    assert.equal(await writeStatus(cluster, deployments, written, { replicas: 5 }), false, 'changed since it was read')
    await admin.delete(deployments, ref('d'))
    assert.equal(await writeStatus(cluster, deployments, await read().catch(() => written), { replicas: 5 }), false)
    await admin.create(deployments, fresh)
    assert.equal(await writeStatus(cluster, deployments, written, { replicas: 5 }), false)
    assert.deepEqual((await read()).status, {})
  },
)

test('conditions: the transition time changes with the status only, in whole seconds', () => {
  const ready = (status: 'True' | 'False', message: string) =>
    [{ type: 'Ready', status, reason: 'Because', message }] as const
  const object = (status?: object): KubeObject<unknown, object> => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', generation: 3 },
    ...(status && { status }),
  })
  const first = toConditionsStatus(object(), ready('False', 'one'), new Date('2026-01-01T00:00:00.123Z'))
  assert.equal(first.observedGeneration, 3)
  assert.deepEqual(first.conditions?.[0]?.lastTransitionTime, '2026-01-01T00:00:00Z')
  const later = new Date('2026-01-02T00:00:00Z')
  const second = toConditionsStatus(object(first), ready('False', 'two'), later)
  assert.deepEqual(
    [second.conditions?.[0]?.lastTransitionTime, second.conditions?.[0]?.message],
    ['2026-01-01T00:00:00Z', 'two'],
  )
  assert.equal(
    toConditionsStatus(object(second), ready('True', 'two'), later).conditions?.[0]?.lastTransitionTime,
    '2026-01-02T00:00:00Z',
  )
})
