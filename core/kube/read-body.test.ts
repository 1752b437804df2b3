import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import type { KubeObject, Resource } from './client.ts'
import { MAX_RESPONSE_BYTES } from './read-body.ts'
import { createKubeClient } from './create-client.ts'
import { parseLabel } from './names.ts'
import { createPool } from './connection-pool.ts'
import { KubeError } from './status.ts'

const configMaps: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }
const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

/** A server that returns these compressed bytes for every request. */
async function startZipping(t: TestContext, status: number, zipped: Buffer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-encoding': 'gzip', 'content-length': zipped.length }).end(zipped)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function failureOf(t: TestContext, status: number, zipped: Buffer): Promise<KubeError> {
  const client = createKubeClient({ server: await startZipping(t, status, zipped), bearer: 'token-1' })
  return client.list(configMaps).then(
    () => assert.fail('it was accepted'),
    (error: unknown) => (error instanceof KubeError ? error : assert.fail(String(error))),
  )
}

test(
  'a list above 128 KiB is compressed by a real API server, and is read',
  needs('etcd', 'kube-apiserver'),
  async (t) => {
    const kube = await sharedKube(t)
    const pool = createPool(kube.url, { ca: kube.ca })
    t.after(() => pool.close())
    const bearer = kube.tokens['admin'] ?? ''
    const client = createKubeClient({ server: kube.url, pool, bearer })
    const namespace = parseLabel('namespace', `decode-${process.pid}`)
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    const text = 'zip me '.repeat(30_000)
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace },
      data: { text },
    }
    await client.create(configMaps, object)
    const { items } = await client.list(configMaps, { namespace })
    assert.deepEqual(items.find(({ metadata }) => metadata.name === 'a')?.['data'], { text })
    const asked = {
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      method: 'GET',
      headers: { authorization: `Bearer ${bearer}`, 'accept-encoding': 'gzip' },
    } as const
    const raw = await pool.calls.request({ origin: kube.url, ...asked })
    await raw.body.dump()
    assert.equal(raw.headers['content-encoding'], 'gzip')
  },
)

test('a truncated gzip body is reported as unreachable, and a compressed failure keeps its status', async (t) => {
  const whole = gzipSync('{"metadata":{},"items":[]}')
  assert.equal((await failureOf(t, 200, whole.subarray(0, -6))).status, 503)
  assert.equal((await failureOf(t, 200, Buffer.from('no gzip at all'))).status, 503)
  const denied = gzipSync(JSON.stringify({ kind: 'Status', message: 'configmaps is forbidden', reason: 'Forbidden' }))
  assert.equal((await failureOf(t, 403, denied)).status, 403)
})

test('K4: a response that decompresses to more than the limit is refused, however small it is', async (t) => {
  const bomb = gzipSync(Buffer.alloc(MAX_RESPONSE_BYTES + 1, 32), { level: 1 })
  assert.ok(bomb.length < MAX_RESPONSE_BYTES / 100)
  const { status, message } = await failureOf(t, 200, bomb)
  assert.deepEqual([status, message], [502, 'The response of the cluster is too large.'])
})
