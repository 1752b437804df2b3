import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { describeError } from '#core/log/describe-error.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createTraceScope } from '#core/telemetry/trace-context.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { EndedSpan } from '#core/telemetry/tracer.ts'
import { startTrace } from '#core/telemetry/traceparent.ts'
import { createKubeClient } from './create-client.ts'
import { parseLabel, parseName } from './names.ts'
import { nameOfCall } from './instrument.ts'
import { createPool } from './connection-pool.ts'

test('calls are named by verb and resource as RBAC has them', () => {
  const cases: readonly (readonly ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string, string])[] = [
    ['GET', '/api/v1/namespaces/secret-ns/pods/secret-pod/log?tailLines=1', 'get pods/log'],
    ['GET', '/api/v1/namespaces', 'list namespaces'],
    ['GET', '/api/v1/namespaces/secret-ns', 'get namespaces'],
    ['GET', '/apis/mesh.dev/v1/namespaces/a/agents?limit=5', 'list agents'],
    ['GET', '/apis/mesh.dev/v1/agents?watch=true&timeoutSeconds=5', 'watch agents'],
    ['GET', '/apis/mesh.dev/v1/agents?labelSelector=watch%3Dtrue', 'list agents'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'create selfsubjectaccessreviews'],
    ['PUT', '/apis/apps/v1/namespaces/a/deployments/d/status', 'update deployments/status'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/d', 'patch deployments'],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments/d', 'delete deployments'],
    ['GET', '/readyz', 'list other'],
  ]
  for (const [method, path, expected] of cases) {
    const { verb, resource } = nameOfCall({ method, path })
    assert.equal(`${verb} ${resource}`, expected, path)
  }
})

test('K2: calls are timed by outcome and traced without naming the object, under an Audit-ID of the trace', async (t) => {
  const headers: string[] = []
  const auditIds: (string | undefined)[] = []
  const server = createServer((request, response) => {
    headers.push(...Object.keys(request.headers))
    auditIds.push(request.headers['audit-id']?.toString())
    const status = request.url?.includes('denied') === true ? 403 : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(status === 200 ? '{"items":[],"metadata":{}}' : '{"kind":"Status","reason":"Forbidden","code":403}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const metrics = createMetrics()
  const pool = createPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {}, { metrics })
  t.after(() => pool.close())
  const client = createKubeClient({ server: pool.server, pool, bearer: 'secret-token' })
  const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
  const ended: EndedSpan[] = []
  const trace = startTrace()
  const scope = createTraceScope(
    trace,
    createTracer((span) => ended.push(span)),
  )
  await scope.run(async () => {
    await client.list(pods, { namespace: parseLabel('ns', 'secret-ns') })
    const ref = { namespace: parseLabel('ns', 'secret-ns'), name: parseName('name', 'denied') }
    await assert.rejects(client.get(pods, ref))
    for await (const _ of client.watch(pods, {})) break
  })
  await client.list(pods, {})
  const text = await metrics.render()
  assert.match(text, /mesh_cluster_request_seconds_count\{verb="list",resource="pods",outcome="ok"\} 2/)
  assert.match(text, /mesh_cluster_request_seconds_count\{verb="get",resource="pods",outcome="denied"\} 1/)
  assert.match(text, /mesh_cluster_request_seconds_count\{verb="watch",resource="pods",outcome="ok"\} 1/)
  assert.deepEqual(
    ended.map(({ name, parentSpanId, status }) => [name, parentSpanId, status]),
    [
      ['list pods', trace.spanId, 'ok'],
      ['get pods', trace.spanId, 'error'],
      ['watch pods', trace.spanId, 'ok'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(ended.map(({ name, attributes }) => [name, attributes])), /secret/)
  assert.ok(!headers.includes('traceparent'))
  const traced = auditIds.filter((id) => id !== undefined)
  assert.deepEqual(
    [new Set(traced).size, auditIds.at(-1)],
    [3, undefined],
    'one id per call of the scope, none outside',
  )
  for (const id of traced) assert.match(id, new RegExp(`^${trace.traceId}-[0-9a-f]{16}$`))
})

test('R2-C7: a log line of a refused call names verb and resource, and the rule that grants them', async (t) => {
  const account = 'User "system:serviceaccount:mesh-system:mesh-manager"'
  let message = `deployments.apps "secret-name" is forbidden: ${account} cannot patch resource`
  const server = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'Status', reason: 'Forbidden', code: 403, message }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const pool = createPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.after(() => pool.close())
  const client = createKubeClient({ server: pool.server, pool, bearer: 'secret-token' })
  const apps = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true }
  const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
  const ref = { namespace: parseLabel('ns', 'secret-ns'), name: parseName('name', 'secret-name') }
  const lineOf = (call: Promise<unknown>) => call.then(() => assert.fail('it was allowed'), describeError)
  const refused = await lineOf(client.patch(apps, ref, { type: 'merge', body: {} }, { subresource: 'status' }))
  assert.equal(refused.right, 'patch deployments/status.apps')
  assert.equal(refused.rule, "{ group: 'apps', resource: 'deployments/status', manager: ['patch'] }")
  message = 'pods is forbidden: User "jane: secret-name" cannot list resource'
  const ofPerson = await lineOf(client.list(pods, { namespace: ref.namespace }))
  assert.deepEqual([ofPerson.right, ofPerson.rule], ['list pods', "{ group: '', resource: 'pods', verbs: ['list'] }"])
  assert.doesNotMatch(JSON.stringify([refused, ofPerson]), /secret/)
})
