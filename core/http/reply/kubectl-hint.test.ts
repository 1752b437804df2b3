import assert from 'node:assert/strict'
import test from 'node:test'
import { buildServer } from '../testing/build-server.ts'

const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

test('kubectl that asks for the groups of an API server is answered with what to write; everything else is as before', async (t) => {
  const { app, upstream } = await buildServer(t, [])
  const get = (url: string, headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'POST' = 'GET') =>
    app.inject({ method, url, headers })
  const agent = { 'user-agent': 'kubectl/v1.32.4 (linux/amd64) kubernetes/4cb5f07' }
  for (const [url, given] of [
    ['/api?timeout=32s', { accept: discovery }],
    ['/apis', { accept: discovery }],
    ['/openapi/v3?timeout=32s', agent],
  ] as const) {
    const { statusCode, body, headers } = await get(url, given)
    assert.deepEqual([statusCode, headers['content-type']], [406, 'text/plain; charset=utf-8'])
    assert.match(body, /^This port serves mesh, .* write: eval "\$\(npx mesh env --as developer\)"\./)
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
  assert.deepEqual(upstream, [], 'nothing is asked of the cluster')
  assert.equal((await get('/api', { accept: 'application/json' })).statusCode, 401)
  assert.equal((await get('/apis')).statusCode, 404)
  assert.equal((await get('/api/', { accept: discovery })).statusCode, 401)
  assert.equal((await get('/api/agents', { accept: discovery })).statusCode, 401)
  assert.equal((await get('/api', { accept: discovery }, 'POST')).statusCode, 401)
})
