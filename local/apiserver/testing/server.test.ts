import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { JsonObject } from '../json/json-value.ts'
import { ADMIN, OTHER, WIDGETS, startTestServer, widget } from './test-server.ts'
import type { TestServer } from './test-server.ts'

type Item = {
  metadata: { name: string; uid: string; resourceVersion: string; [key: string]: unknown }
  [key: string]: unknown
}

const items = (body: JsonObject): Item[] => JSON.parse(JSON.stringify(body['items']))
const meta = (body: JsonObject): Item['metadata'] => JSON.parse(JSON.stringify(body['metadata']))
const MERGE = { type: 'application/merge-patch+json' }

interface Watch {
  next(): Promise<{ type: string; object: Item }>
  done(): Promise<boolean>
}

async function watch(t: TestContext, server: TestServer, query: string, path = WIDGETS): Promise<Watch> {
  const stop = new AbortController()
  t.after(() => stop.abort())
  const headers = { authorization: `Bearer ${ADMIN}` }
  const response = await fetch(`${server.url}${path}?watch=1&${query}`, { headers, signal: stop.signal })
  assert.equal(response.status, 200)
  assert.ok(response.body)
  const lines = createInterface({ input: Readable.fromWeb(response.body) })[Symbol.asyncIterator]()
  return {
    next: async () => JSON.parse(String((await lines.next()).value)),
    done: async () => (await lines.next()).done === true,
  }
}

/** The status of a path sent as it is: URL parsers of clients resolve dots. */
function rawStatus(server: TestServer, method: string, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const call = request({
    host: '127.0.0.1',
    port: server.port,
    method,
    path,
    headers: { authorization: `Bearer ${ADMIN}` },
  })
  call.on('response', (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
  call.on('error', reject)
  call.end()
  return promise
}

test('K1: the audit log names user, verb and object of every request and never shows a token', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const auditFile = join(folder, 'audit.log')
  const server = await startTestServer(t, { auditFile })
  await server.call('POST', `${WIDGETS}?token=hunter2`, widget('a'))
  await server.call('GET', WIDGETS, undefined, { token: OTHER })
  await server.call('GET', WIDGETS, undefined, { token: 'wrong' })
  await server.close()
  const text = readFileSync(auditFile, 'utf8')
  const lines: JsonObject[] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ user, verb, resource, namespace, code }) => [user, verb, resource, namespace, code]),
    [
      ['admin', 'create', 'widgets', 'default', 201],
      ['other', 'list', 'widgets', 'default', 403],
      ['', 'list', 'widgets', 'default', 401],
    ],
  )
  assert.ok(!text.includes('hunter2') && !text.includes(ADMIN))
})

test('audit events are those of changes: neither reviews nor reads', async (t) => {
  const events: JsonObject[] = []
  const server = await startTestServer(t, { onAuditEvent: (event) => void events.push(event as JsonObject) })
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' }
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } }
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  assert.equal((await server.call('POST', path, { ...review, spec })).code, 201)
  await server.call('GET', WIDGETS)
  await server.call('POST', WIDGETS, widget('a'))
  assert.deepEqual(
    events.map(({ verb, objectRef }) => [verb, (objectRef as JsonObject)['resource']]),
    [['create', 'widgets']],
  )
})

test('M1: a path that a client has shortened is deletecollection; names of dots are refused', async (t) => {
  const server = await startTestServer(t)
  await server.call('POST', WIDGETS, widget('a'))
  await server.call('POST', WIDGETS, widget('b'))
  for (const name of ['.', '..', '%2e', '%2E%2e'])
    assert.equal(await rawStatus(server, 'DELETE', `${WIDGETS}/${name}`), 400)
  assert.equal(items((await server.call('GET', WIDGETS)).body).length, 2)
  assert.equal(await rawStatus(server, 'DELETE', `${WIDGETS}/`), 200)
  assert.equal(items((await server.call('GET', WIDGETS)).body).length, 0)
})

test('a restart keeps objects, uids and versions', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'apiserver-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startTestServer(t, { dataDir })
  const created = await first.call('POST', WIDGETS, widget('a'))
  await first.close()
  const second = await startTestServer(t, { dataDir })
  assert.deepEqual((await second.call('GET', `${WIDGETS}/a`)).body, created.body)
})

test('paging walks one consistent snapshot and expires with a token for the rest', async (t) => {
  const server = await startTestServer(t)
  for (const name of ['a', 'b', 'c', 'd']) await server.call('POST', WIDGETS, widget(name))
  const first = await server.call('GET', `${WIDGETS}?limit=2`)
  assert.equal(meta(first.body)['remainingItemCount'], 2)
  await server.call('DELETE', `${WIDGETS}/c`)
  await server.call('PATCH', `${WIDGETS}/d`, { spec: { size: 9 } }, MERGE)
  const token = encodeURIComponent(String(meta(first.body)['continue']))
  const rest = await server.call('GET', `${WIDGETS}?limit=2&continue=${token}`)
  assert.deepEqual(
    items(rest.body).map((item) => [item.metadata.name, item['spec']]),
    [
      ['c', { size: 1, colour: 'red' }],
      ['d', { size: 1, colour: 'red' }],
    ],
  )
  const stale = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: 'default/b\0' })).toString('base64url')
  const expired = await server.call('GET', `${WIDGETS}?continue=${stale}`)
  assert.equal(expired.code, 200, 'history still reaches version 1')
})

test('M10: a watch from a version that history has lost ends with 410 inside a 200 stream', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'apiserver-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startTestServer(t, { dataDir })
  await first.call('POST', WIDGETS, widget('a'))
  await first.close()
  const server = await startTestServer(t, { dataDir })
  const stream = await watch(t, server, 'resourceVersion=1')
  const event = await stream.next()
  assert.equal(event.type, 'ERROR')
  assert.equal(event.object['code'], 410)
  assert.equal(await stream.done(), true)
  const stale = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: 'default/\0' })).toString('base64url')
  const page = await server.call('GET', `${WIDGETS}?continue=${stale}`)
  assert.equal(page.code, 410)
  assert.ok(meta(page.body)['continue'])
})

test('watch: changes in order, selector transitions, bookmarks of initial events', async (t) => {
  const server = await startTestServer(t)
  const created = await server.call('POST', WIDGETS, widget('a', 1, { labels: { on: 'yes' } }))
  const all = await watch(t, server, `resourceVersion=${meta(created.body).resourceVersion}`)
  const some = await watch(
    t,
    server,
    'labelSelector=on%3Dyes&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  )
  assert.deepEqual([(await some.next()).type, (await some.next()).type], ['ADDED', 'BOOKMARK'])
  await server.call('PATCH', `${WIDGETS}/a`, { metadata: { labels: { on: 'no' } } }, MERGE)
  await server.call('PATCH', `${WIDGETS}/a`, { metadata: { labels: { on: 'yes' } } }, MERGE)
  await server.call('DELETE', `${WIDGETS}/a`)
  const types = async (stream: Watch) => [
    (await stream.next()).type,
    (await stream.next()).type,
    (await stream.next()).type,
  ]
  assert.deepEqual(await types(all), ['MODIFIED', 'MODIFIED', 'DELETED'])
  assert.deepEqual(await types(some), ['DELETED', 'ADDED', 'DELETED'])
})

const owned = (name: string, uid: string, block = false) =>
  widget(name, 1, {
    ownerReferences: [
      { apiVersion: 'mesh.dev/v1alpha1', kind: 'Widget', name: 'owner', uid, blockOwnerDeletion: block },
    ],
  })

async function owner(server: TestServer): Promise<string> {
  return meta((await server.call('POST', WIDGETS, widget('owner'))).body).uid
}

test('garbage collection: background removes dependents, orphan keeps them without the reference', async (t) => {
  const server = await startTestServer(t)
  await server.call('POST', WIDGETS, owned('child', await owner(server)))
  const events = await watch(t, server, 'fieldSelector=metadata.name%3Dchild')
  await events.next()
  await server.call('DELETE', `${WIDGETS}/owner`, { propagationPolicy: 'Background' })
  assert.equal((await events.next()).type, 'DELETED')
  await server.call('POST', WIDGETS, owned('child', await owner(server)))
  assert.equal((await events.next()).type, 'ADDED')
  await server.call('DELETE', `${WIDGETS}/owner`, { propagationPolicy: 'Orphan' })
  const kept = await events.next()
  assert.equal(kept.type, 'MODIFIED')
  assert.equal(kept.object.metadata['ownerReferences'], undefined)
})

test('garbage collection: foreground removes the owner after the dependents that block it', async (t) => {
  const server = await startTestServer(t)
  const uid = await owner(server)
  await server.call('POST', WIDGETS, owned('child', uid, true))
  await server.call('PATCH', `${WIDGETS}/child`, { metadata: { finalizers: ['mesh.dev/hold'] } }, MERGE)
  const held = await server.call('DELETE', `${WIDGETS}/owner`, { propagationPolicy: 'Foreground' })
  assert.deepEqual(meta(held.body)['finalizers'], ['foregroundDeletion'])
  const events = await watch(t, server, 'fieldSelector=metadata.name%3Downer')
  await events.next()
  await server.call('PATCH', `${WIDGETS}/child`, { metadata: { finalizers: null } }, MERGE)
  let last = await events.next()
  while (last.type === 'MODIFIED') last = await events.next()
  assert.equal(last.type, 'DELETED')
  assert.equal((await server.call('GET', `${WIDGETS}/child`)).code, 404)
})

test('a namespace ends with everything in it, and takes nothing new meanwhile', async (t) => {
  const server = await startTestServer(t)
  await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } })
  const path = WIDGETS.replace('default', 'gone')
  await server.call('POST', path, widget('a', 1, { finalizers: ['mesh.dev/hold'] }))
  const ended = await watch(t, server, 'fieldSelector=metadata.name%3Dgone', '/api/v1/namespaces')
  await ended.next()
  const deleted = await server.call('DELETE', '/api/v1/namespaces/gone')
  assert.deepEqual(deleted.body['status'], { phase: 'Terminating' })
  const refused = await server.call('POST', path, widget('b'))
  assert.deepEqual([refused.code, refused.body['reason']], [403, 'Forbidden'])
  await server.call('PATCH', `${path}/a`, { metadata: { finalizers: null } }, MERGE)
  let last = await ended.next()
  while (last.type === 'MODIFIED') last = await ended.next()
  assert.equal(last.type, 'DELETED')
})

test('a dry run answers like the real write and changes nothing', async (t) => {
  const server = await startTestServer(t)
  assert.equal((await server.call('POST', `${WIDGETS}?dryRun=All`, widget('a'))).code, 201)
  assert.equal((await server.call('GET', `${WIDGETS}/a`)).code, 404)
  await server.call('POST', WIDGETS, widget('a'))
  const patched = await server.call('PATCH', `${WIDGETS}/a?dryRun=All`, { spec: { size: 5 } }, MERGE)
  assert.deepEqual(patched.body['spec'], { size: 5, colour: 'red' })
  assert.equal((await server.call('DELETE', `${WIDGETS}/a?dryRun=All`)).code, 200)
  assert.deepEqual((await server.call('GET', `${WIDGETS}/a`)).body['spec'], { size: 1, colour: 'red' })
})

test('a token of a service account works until the account is gone', async (t) => {
  const server = await startTestServer(t)
  await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } })
  const token = await server.issueToken({ namespace: 'default', name: 'bot' })
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const who = await server.call('POST', path, review, { token })
  assert.match(JSON.stringify(who.body['status']), /system:serviceaccount:default:bot/)
  await server.call('DELETE', '/api/v1/namespaces/default/serviceaccounts/bot')
  assert.equal((await server.call('POST', path, review, { token })).code, 401)
})

test('X3: a body with __proto__ or too deep is a 400, too long a 413, and the server lives on', async (t) => {
  const server = await startTestServer(t)
  const send = async (body: string) => {
    const headers = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' }
    return (await fetch(server.url + WIDGETS, { method: 'POST', headers, body })).status
  }
  assert.equal(
    await send(
      '{"kind":"Widget","apiVersion":"mesh.dev/v1alpha1","metadata":{"name":"a"},"spec":{"__proto__":{"size":1}}}',
    ),
    400,
  )
  assert.equal(await send(`{"kind":"Widget","spec":${'['.repeat(5_000)}${']'.repeat(5_000)}}`), 400)
  assert.equal(await send(`{"kind":"Widget","spec":"${'x'.repeat(4 << 20)}"}`), 413)
  assert.equal((await server.call('GET', WIDGETS)).code, 200)
})
