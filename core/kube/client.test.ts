import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube, startKube } from '#test/harness/kube.ts'
import type { KubeClient, KubeObject, Resource, WatchEvent } from './client.ts'
import { createKubeClient } from './create-client.ts'
import { InvalidName, parseLabel, parseName } from './names.ts'
import { createPool } from './connection-pool.ts'
import { createStallGate } from './circuit-breaker.ts'
import { KubeError } from './status.ts'

const configMaps: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }
const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
const real = needs('etcd', 'kube-apiserver')

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

async function connect(t: TestContext, persona = 'admin'): Promise<KubeClient> {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  return createKubeClient({ server: kube.url, pool, bearer: kube.tokens[persona] ?? '' })
}

let count = 0
async function freshNamespace(client: KubeClient) {
  const name = parseLabel('namespace', `kube-client-${process.pid}-${++count}`)
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return name
}

const map = (namespace: string, name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

async function refusal(promise: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await promise.then(
    () => assert.fail('it was accepted'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof KubeError)) throw error
  return error
}

test('create, get, replace, patch, apply, list and delete against the real API server', real, async (t) => {
  const client = await connect(t)
  const namespace = await freshNamespace(client)
  const ref = { namespace, name: parseName('name', 'a.b') }
  const made = await client.create(configMaps, map(namespace, 'a.b', { x: '1' }))
  assert.equal((await client.get(configMaps, ref)).metadata.uid, made.metadata.uid)
  const replaced = await client.replace(configMaps, { ...made, data: { x: '2' } })
  assert.equal((await refusal(client.replace(configMaps, { ...made, data: { x: '3' } }))).status, 409)
  const merged = await client.patch<ConfigMap>(configMaps, ref, { type: 'merge', body: { data: { y: '1' } } })
  assert.deepEqual(merged.data, { x: '2', y: '1' })
  assert.notEqual(merged.metadata.resourceVersion, replaced.metadata.resourceVersion)
  const patched = await client.patch<ConfigMap>(configMaps, ref, {
    type: 'json',
    body: [{ op: 'replace', path: '/data/y', value: '2' }],
  })
  assert.equal(patched.data?.['y'], '2')
  const applied = await client.patch<ConfigMap>(
    configMaps,
    { namespace, name: parseName('name', 'applied') },
    { type: 'apply', body: map(namespace, 'applied', { z: '1' }) },
    { fieldManager: 'mesh-test' },
  )
  assert.equal(applied.metadata.managedFields?.[0]?.manager, 'mesh-test')
  const page = await client.list(configMaps, { namespace, limit: 1 })
  assert.equal(page.items[0]?.kind, 'ConfigMap')
  const rest = await client.list(configMaps, { namespace, limit: 1, continue: page.continue ?? '' })
  assert.deepEqual(
    [page.items[0]?.metadata.name, rest.items[0]?.metadata.name, rest.continue],
    ['a.b', 'applied', undefined],
  )
  assert.equal(
    await client.create(configMaps, map(namespace, 'dry'), { dryRun: true }).then((o) => o.metadata.name),
    'dry',
  )
  assert.equal((await refusal(client.get(configMaps, { namespace, name: parseName('name', 'dry') }))).status, 404)
  assert.equal((await refusal(client.delete(configMaps, ref, { preconditions: { uid: 'other' } }))).status, 409)
  assert.deepEqual(await client.delete(configMaps, ref), { uid: made.metadata.uid, object: undefined })
})

test('a delete that finalizers hold gives the object', real, async (t) => {
  const client = await connect(t)
  const namespace = await freshNamespace(client)
  const held = map(namespace, 'held')
  await client.create(configMaps, { ...held, metadata: { ...held.metadata, finalizers: ['mesh.dev/test'] } })
  const ref = { namespace, name: parseName('name', 'held') }
  assert.notEqual((await client.delete(configMaps, ref)).object?.metadata.deletionTimestamp, undefined)
  await client.patch(configMaps, ref, { type: 'merge', body: { metadata: { finalizers: null } } })
})

test('every write is strict: an unknown field is a 400 that names it and not its value (M7)', real, async (t) => {
  const client = await connect(t)
  const namespace = await freshNamespace(client)
  const error = await refusal(client.create(configMaps, { ...map(namespace, 'strict'), sekret: 'sk-pasted-key' }))
  assert.equal(error.status, 400)
  assert.deepEqual(error.details.causes, [{ field: 'sekret', reason: 'FieldValueUnknown', message: 'unknown field' }])
  assert.doesNotMatch(JSON.stringify({ ...error, message: error.message }), /sk-pasted-key/)
})

test('M7: a 422 names field and reason and never echoes the submitted value', real, async (t) => {
  const client = await connect(t)
  const namespace = await freshNamespace(client)
  const bad = map(namespace, 'bad')
  const error = await refusal(
    client.create(configMaps, {
      ...bad,
      metadata: { ...bad.metadata, labels: { app: 'sk-canary "quoted": and more' } },
    }),
  )
  assert.equal(error.status, 422)
  assert.equal(error.details.causes?.[0]?.field, 'metadata.labels')
  assert.match(error.message, /metadata\.labels: Invalid value: a valid label must be/)
  assert.doesNotMatch(JSON.stringify({ ...error, message: error.message, stack: error.stack }), /sk-canary|quoted/)
})

test("a denial is the API server's own 403, with its audit id", real, async (t) => {
  const client = await connect(t, 'unbound')
  const error = await refusal(client.list(configMaps, { namespace: parseLabel('namespace', 'default') }))
  assert.equal(error.status, 403)
  assert.equal(
    error.message,
    'configmaps is forbidden: User "unbound" cannot list resource "configmaps" in API group "" in the namespace "default"',
  )
  assert.match(error.auditId ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(error.retryable, false)
})

test('M5: an empty or malformed bearer is 401 without an upstream call', async (t) => {
  const server = await startRecorder(t)
  for (const bearer of ['', ' ', 'a b', 'a\nb', 'ä']) {
    const client = createKubeClient({ server: server.url, bearer })
    assert.equal((await refusal(client.list(configMaps))).status, 401)
  }
  assert.equal(server.requests.length, 0)
})

test('K2: exactly the headers of the allowlist go upstream', async (t) => {
  const server = await startRecorder(t)
  const client = createKubeClient({ server: server.url, bearer: 'token-1' })
  await client.list(configMaps)
  await client.create(configMaps, map('default', 'x'))
  const sent = server.requests.map((request) => Object.keys(request).toSorted())
  assert.deepEqual(sent, [
    ['accept', 'accept-encoding', 'authorization', 'connection', 'host', 'user-agent'],
    ['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host', 'user-agent'],
  ])
})

test('M9: a failing upstream gives its status and none of its text; a redirect is not followed', async (t) => {
  const server = await startRecorder(t)
  const client = createKubeClient({ server: server.url, bearer: 'token-1' })
  for (const [status, expected] of [
    [500, 500],
    [503, 503],
    [302, 502],
  ] as const) {
    server.answer = {
      status,
      body: JSON.stringify({ kind: 'Status', message: 'rpc error: etcd 10.0.0.7:2379', reason: 'InternalError' }),
    }
    const error = await refusal(client.list(configMaps))
    assert.equal(error.status, expected)
    assert.doesNotMatch(`${error.message}${error.stack}`, /etcd|10\.0/)
  }
  assert.equal(server.requests.length, 3)
})

test("an unreachable server is 503, and the caller's abort is its own reason", async (t) => {
  const gone = createKubeClient({ server: 'http://127.0.0.1:1', bearer: 'token-1' })
  assert.equal((await refusal(gone.list(configMaps))).status, 503)
  const server = await startRecorder(t)
  server.answer = 'never'
  const controller = new AbortController()
  const client = createKubeClient({ server: server.url, bearer: 'token-1' })
  const pending = client.list(configMaps, { signal: controller.signal })
  await server.received()
  const closed = server.disconnected()
  controller.abort(new Error('the client went away'))
  await assert.rejects(pending, /the client went away/)
  await closed
})

test('K4: the deadline covers the body, an abort in it reaches the server, and a cut body is 503', async (t) => {
  const server = await startRecorder(t)
  const client = createKubeClient({ server: server.url, bearer: 'token-1' })
  server.answer = 'half'
  assert.equal((await refusal(client.listRaw(configMaps, { deadlineMs: 50 }))).status, 504)
  const controller = new AbortController()
  const pending = client.listRaw(configMaps, { signal: controller.signal })
  await server.received()
  const closed = server.disconnected()
  controller.abort(new Error('the client went away'))
  await assert.rejects(pending, /the client went away/)
  await closed
  server.answer = 'cut'
  assert.equal((await refusal(client.listRaw(configMaps))).status, 503)
})

test('K4: while the server is silent a call above the bound is 503 without a request, and is admitted again once the server responds', async (t) => {
  const server = await startRecorder(t)
  const pool = { ...createPool(server.url), gate: createStallGate({ underWay: 1, silentMs: -1 }) }
  t.after(() => pool.close())
  const client = createKubeClient({ server: server.url, pool, bearer: 'token-1' })
  server.answer = 'never'
  const controller = new AbortController()
  const pending = client.list(configMaps, { signal: controller.signal })
  await server.received()
  const refused = await refusal(client.list(configMaps))
  assert.deepEqual([refused.status, refused.details.retryAfterSeconds, server.requests.length], [503, 1, 1])
  controller.abort(new Error('enough'))
  await assert.rejects(pending, /enough/)
  server.answer = { status: 200, body: '{"metadata":{}}' }
  await client.list(configMaps)
})

test('K5: a name that was not parsed never reaches the wire', async (t) => {
  const server = await startRecorder(t)
  const client = createKubeClient({ server: server.url, bearer: 'token-1' })
  for (const name of ['.', '..', '%2e', 'a/b', 'a\0b', 'A', '', 'x'.repeat(254)])
    await assert.rejects(client.replace(configMaps, map('default', name)), InvalidName)
  await assert.rejects(client.create(configMaps, map('..', 'x')), InvalidName)
  await assert.rejects(client.list(configMaps, { limit: -1 }), RangeError) // M10: -1 would be unlimited
  assert.equal(server.requests.length, 0)
})

test('a watch emits changes and bookmarks, continues from a version, and ends with its signal', real, async (t) => {
  const client = await connect(t)
  const namespace = await freshNamespace(client)
  const { resourceVersion } = await client.list(configMaps, { namespace })
  const controller = new AbortController()
  const seen: string[] = []
  const ref = { namespace, name: parseName('name', 'watched') }
  const watching = (async () => {
    for await (const event of client.watch(configMaps, { namespace, resourceVersion, signal: controller.signal })) {
      seen.push(label(event))
      if (seen.length === 1)
        await client.patch(configMaps, ref, { type: 'merge', body: { data: { y: 'ü'.repeat(40_000) } } })
      if (seen.length === 2) await client.delete(configMaps, ref)
      if (seen.length === 3) controller.abort()
    }
  })()
  await client.create(configMaps, map(namespace, 'watched'))
  await watching
  assert.deepEqual(seen, ['added watched', 'modified watched', 'deleted watched'])
})

test('M10: an expired version is "expired", by status or inside a 200 stream', real, async (t) => {
  const server = await startRecorder(t)
  const recorded = createKubeClient({ server: server.url, bearer: 'token-1' })
  const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }
  server.answer = { status: 200, body: `${JSON.stringify({ type: 'ERROR', object: status })}\n` }
  assert.deepEqual(await all(recorded.watch(configMaps, { resourceVersion: '1' })), [{ type: 'expired' }])
  server.answer = { status: 410, body: JSON.stringify(status) }
  assert.deepEqual(await all(recorded.watch(configMaps, { resourceVersion: '1' })), [{ type: 'expired' }])
  server.answer = { status: 200, body: `${JSON.stringify({ type: 'ERROR', object: { ...status, code: 500 } })}\n` }
  await assert.rejects(all(recorded.watch(configMaps, {})), KubeError)
})

test(
  'K4: 200 requests a second at a frozen API server: 504 at the deadline, a live event loop, a quick recovery',
  real,
  async (t) => {
    const kube = await startKube(t)
    const pool = createPool(kube.url, { ca: kube.ca })
    t.after(() => pool.close())
    const client = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
    await client.list(namespaces)
    kube.freeze('apiserver')
    const loop = monitorEventLoopDelay({ resolution: 5 })
    loop.enable()
    const deadlineMs = 1_000
    const calls: Promise<{ error: KubeError; ms: number }>[] = []
    for (let batch = 0; batch < 20; batch += 1) {
      for (let i = 0; i < 20; i += 1) calls.push(timed(refusal(client.list(namespaces, { deadlineMs }))))
      await new Promise((resolve) => setTimeout(resolve, 100)) // the rate is the subject here
    }
    const answers = await Promise.all(calls)
    loop.disable()
    assert.deepEqual(new Set(answers.map(({ error }) => error.status)), new Set([504]))
    // Without the deadline they wait for as long as the server is frozen.
    assert.ok(Math.max(...answers.map(({ ms }) => ms)) < deadlineMs + 20_000)
    assert.ok(loop.percentile(99) < 1e9)
    t.diagnostic(`event loop p99 ${loop.percentile(99) / 1e6} ms`)
    kube.thaw()
    await untilAnswered(client, 60_000)
  },
)

async function timed(promise: Promise<KubeError>) {
  const start = performance.now()
  return { error: await promise, ms: performance.now() - start }
}

async function untilAnswered(client: KubeClient, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs
  for (;;) {
    const failure = await client.list(namespaces, { deadlineMs: 1000 }).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure === undefined) return
    assert.ok(performance.now() < end, 'no recovery in time')
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

function label(event: WatchEvent<KubeObject>): string {
  return 'object' in event ? `${event.type} ${event.object.metadata.name}` : event.type
}

/** A plain HTTP server that records headers and returns given responses, for what a real API server never sends. */
async function startRecorder(t: TestContext) {
  const requests: Record<string, unknown>[] = []
  const state: { answer: 'never' | 'half' | 'cut' | { status: number; body: string } } = {
    answer: { status: 200, body: '{"metadata":{}}' },
  }
  const server = createServer((request, response) => {
    requests.push(request.headers)
    request.resume()
    server.emit('received')
    request.socket.once('close', () => server.emit('gone'))
    if (state.answer === 'half' || state.answer === 'cut') {
      response.writeHead(200, { 'content-length': 1000 }).write('{"metadata":{},"items":[')
      if (state.answer === 'cut') setImmediate(() => request.socket.destroy())
    } else if (state.answer !== 'never')
      response.writeHead(state.answer.status, { location: '/elsewhere' }).end(state.answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    received: () => once(server, 'received'),
    disconnected: () => once(server, 'gone'),
  })
}
