import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { KubeError } from '#core/kube/status.ts'
import { createObjectStores } from './object-stores.ts'

const services: Resource = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true }
const namespace = parseLabel('namespace', 'default')
const ref: ObjectRef = { namespace, name: parseName('name', 'bot') }
const ofBot = { namespace, labelSelector: 'agent=bot' }

function service(resourceVersion: string, more: Partial<KubeObject['metadata']> = {}): KubeObject {
  const metadata = { name: 'bot', namespace, resourceVersion, labels: { agent: 'bot' }, ...more }
  return { apiVersion: 'v1', kind: 'Service', metadata }
}

/** Stores of Services, and an API server that has one object and notes what it is asked. */
function setUp(live: { object: KubeObject | undefined; refuse?: KubeError }) {
  const asked: string[] = []
  const respond = async (verb: string): Promise<KubeObject> => {
    asked.push(verb)
    if (live.refuse !== undefined && verb === 'patch') throw live.refuse
    return live.object ?? Promise.reject(new KubeError(404, 'NotFound', ''))
  }
  const cluster = {
    get: () => respond('get'),
    patch: () => respond('patch'),
    create: () => respond('create'),
    delete: async () => {
      await respond('delete')
      return { uid: undefined, object: undefined }
    },
    list: async () => {
      asked.push('list')
      return { items: live.object === undefined ? [] : [live.object], resourceVersion: '9', continue: undefined }
    },
  } as unknown as KubeClient
  const stores = createObjectStores(cluster, [{ resource: services, label: 'agent' }])
  const [kind = assert.fail()] = stores.kinds
  const handler = kind.handler(undefined, () => undefined)
  const listed = async (version: string, objects: readonly KubeObject[], since?: string): Promise<void> => {
    await handler.listing(since === undefined ? 'start' : 'expired', since)
    await handler.page(objects)
    await handler.listed(version)
  }
  const report = (type: 'modified' | 'deleted', object: KubeObject) => handler.changed([{ type, object }], '')
  const version = async () => (await stores.cluster.get(services, ref)).metadata.resourceVersion
  const names = async () => (await stores.cluster.list(services, ofBot)).items.map(({ metadata }) => metadata.name)
  return { asked, stores, kind, listed, report, version, names, write: () => patchOf(stores.cluster) }
}

const patchOf = (cluster: KubeClient) => cluster.patch(services, ref, { type: 'merge', body: {} })

test('R2-CL-5: an own write is read before a watch reports it, and what is older replaces nothing', async () => {
  const { asked, listed, report, version, names, stores, write } = setUp({ object: service('5') })
  await listed('3', [])
  await write()
  assert.deepEqual([await version(), await names(), asked], ['5', ['bot'], ['patch']])
  await report('modified', service('4'))
  await report('deleted', service('4'))
  assert.equal(await version(), '5', 'it was made again since')
  await report('modified', service('10'))
  assert.deepEqual([await version(), asked], ['10', ['patch']])
  await stores.cluster.delete(services, ref)
  assert.deepEqual(await names(), [])
})

test('R2-CL-5: what is not stored is asked for, and an object without the label is never stored', async () => {
  const live: { object: KubeObject | undefined } = { object: undefined }
  const { asked, listed, version } = setUp(live)
  await listed('3', [])
  await assert.rejects(version(), { status: 404 })
  live.object = service('4', { labels: {} })
  for (let round = 0; round < 2; round += 1) assert.equal(await version(), '4')
  assert.deepEqual(asked, ['get', 'get', 'get'])
})

test('R2-CL-5: after a conflict the object is read from the API server, once', async () => {
  const live = { object: service('7'), refuse: new KubeError(409, 'Conflict', '') }
  const { asked, listed, version, names, write } = setUp(live)
  await listed('3', [service('2')])
  await assert.rejects(write(), { status: 409 })
  for (let round = 0; round < 2; round += 1) assert.equal(await version(), '7')
  await assert.rejects(write(), { status: 409 })
  for (let round = 0; round < 2; round += 1) assert.deepEqual(await names(), ['bot'])
  assert.deepEqual(asked, ['patch', 'get', 'patch', 'list'])
})

test('R2-CL-5: a kind that is not listed, or whose watch is denied, is read from the API server', async () => {
  const { asked, kind, listed, version, names } = setUp({ object: service('7') })
  await version()
  await names()
  assert.deepEqual(asked.splice(0), ['get', 'list'])
  await listed('8', [service('7')])
  await version()
  assert.deepEqual(asked, [])
  kind.setState(undefined, 'denied')
  await version()
  kind.setState(undefined, 'followed')
  await version()
  assert.deepEqual(asked, ['get'])
})

test('R2-CL-5: a list removes what it does not have, and an API server that was restored replaces everything', async () => {
  const { listed, version, names, write } = setUp({ object: service('20') })
  await listed('8', [service('7', { name: 'old' }), service('7')])
  await listed('12', [service('7')], '11')
  assert.deepEqual(await names(), ['bot'])
  await write()
  await listed('12', [], '11')
  assert.deepEqual(await names(), ['bot'], 'it was written after the list')
  await listed('6', [service('4')], '21')
  assert.equal(await version(), '4')
})

test('A11: names that are no names, and managed fields that are none, are no objects of the store', async () => {
  const { listed, names, version } = setUp({ object: service('7') })
  const broken = service('5', { managedFields: 'x' as unknown as [] })
  await listed('8', [service('5', { name: '../secrets' }), service('5', { name: '\u0000' }), broken])
  assert.deepEqual(await names(), ['bot'])
  assert.equal(await version(), '5')
})
