import assert from 'node:assert/strict'
import test from 'node:test'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { createServiceEndpoints, endpointByService } from './endpoint-slices.ts'

const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
const slices = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
}
const namespace = parseLabel('namespace', `launchers-${process.pid}`)

interface Written {
  readonly name: string
  readonly service: string
  readonly type?: string
  readonly port?: { readonly name: string; readonly port: number }
  readonly endpoints: readonly object[]
}

function toSlice({ name, service, type = 'IPv4', port = { name: 'http', port: 8080 }, endpoints }: Written) {
  const labels = { 'kubernetes.io/service-name': service }
  const metadata = { name, namespace, labels }
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    addressType: type,
    ports: [{ ...port, protocol: 'TCP' }],
    endpoints,
  }
}

const pod = (uid: string, address: string, ready?: boolean) => ({
  addresses: [address],
  targetRef: { kind: 'Pod', namespace, name: uid, uid },
  ...(ready === undefined ? {} : { conditions: { ready, serving: true, terminating: !ready } }),
})

test('the endpoints of a Service are its ready and terminating pods', needs('etcd', 'kube-apiserver'), async (t) => {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const unnamed = { addresses: ['10.9.0.9'] }
  const written: readonly Written[] = [
    { name: 'one', service: 'bot', endpoints: [pod('b', '10.9.0.2', true), pod('a', '10.9.0.1'), unnamed] },
    { name: 'six', service: 'bot', type: 'IPv6', endpoints: [pod('a', 'fd00::1', true), pod('c', 'fd00::3', true)] },
    { name: 'two', service: 'bot', port: { name: 'http', port: 9090 }, endpoints: [pod('d', '10.9.0.4', false)] },
    { name: 'amp', service: 'bot', port: { name: 'amp', port: 2997 }, endpoints: [pod('e', '10.9.0.5', true)] },
    { name: 'else', service: 'other', endpoints: [pod('f', '10.9.0.6', true)] },
  ]
  for (const one of written) await admin.create(slices, toSlice(one))
  let lists = 0
  const endpoints = createServiceEndpoints({
    ...admin,
    list: (...asked) => {
      lists++
      return admin.list(...asked)
    },
  })
  const service = { namespace, name: 'bot', portName: 'http', port: 8080, scheme: 'https' } as const
  const [found] = await Promise.all([endpoints(service), endpoints(service), endpoints({ ...service, name: 'none' })])
  assert.deepEqual(found, [
    { id: 'a', url: 'https://10.9.0.1:8080', ready: true },
    { id: 'b', url: 'https://10.9.0.2:8080', ready: true },
    { id: 'c', url: 'https://[fd00::3]:8080', ready: true },
    { id: 'd', url: 'https://10.9.0.4:9090', ready: false },
  ])
  const amp = await endpoints({ ...service, portName: 'amp', scheme: 'http' })
  assert.deepEqual(amp, [{ id: 'e', url: 'http://10.9.0.5:2997', ready: true }])
  assert.equal(lists, 3, 'concurrent look-ups of one Service share a list')
  const viewer = createKubeClient({ server: kube.url, pool, bearer: 'unbound' })
  const refused = createServiceEndpoints(viewer)
  for (let times = 0; times < 2; times++) await assert.rejects(refused(service), { status: 401 })
})

test('without an identity the Service is the one endpoint', async () => {
  const url = 'https://bot.demo.svc:8080'
  const found = await endpointByService({
    namespace: 'demo',
    name: 'bot',
    portName: 'http',
    port: 8080,
    scheme: 'https',
  })
  assert.deepEqual(found, [{ id: url, url, ready: true }])
})
