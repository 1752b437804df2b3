import assert from 'node:assert/strict'
import { client } from './client/client.gen.ts'
import {
  createAgent,
  createRun,
  deleteAgent,
  getAgent,
  replaceAgent,
  streamEvents,
  streamRunEvents,
} from './client/index.ts'
import type { AgentDeploymentSpec } from './client/index.ts'

// Creates and updates an agent and reads both event streams with a client of @hey-api/openapi-ts.
const { MESH_URL: baseUrl = '', MESH_TOKEN: token = '', MESH_AGENT: name = '' } = process.env
client.setConfig({ baseUrl, auth: token })
const path = { ns: 'demo', name }

const created = await createAgent({ body: { namespace: 'demo', config: { name, model: { route: 'mock' } } } })
assert.equal(created.response?.status, 201)
const stale = created.response.headers.get('etag') ?? ''

// The manager may update the status between read and write.
let replaced = false
for (let tries = 0; !replaced && tries < 20; tries++) {
  const { data, response } = await getAgent({ path })
  assert.ok(data)
  const answer = await replace(response?.headers.get('etag') ?? '', data.spec)
  replaced = answer.response?.status === 200
  if (replaced) assert.equal(answer.data?.metadata.labels?.['team'], 'red')
}
assert.ok(replaced)
const refused = await replace(stale, { model: { route: 'mock' } })
assert.deepEqual([refused.response?.status, refused.error?.code], [412, 'precondition_failed'])

const started = await createRun({ body: { agent: { namespace: 'demo', name: 'hello' }, input: 'Hi' } })
assert.ok(started.data)
const { id } = started.data
const kinds: string[] = []
const run = await streamRunEvents({ path: { id }, sseMaxRetryAttempts: 1 })
for await (const event of run.stream) {
  assert.ok(typeof event === 'object' && event.runId === id)
  kinds.push(event.kind)
}
assert.ok(kinds.includes('message.finished') && kinds.includes('run.succeeded'), kinds.join())

const end = new AbortController()
const events = await streamEvents({ query: { namespace: 'demo', after: 'start' }, signal: end.signal })
let seen = 0
for await (const event of events.stream) {
  seen++
  if (event.type === 'dev.mesh.runs.succeeded.v1' && event.data.runId === id) break
}
end.abort()
const removed = await deleteAgent({ path })
assert.equal(removed.response?.status, 204)
console.log(`${kinds.length} run events, ${seen} domain events`)

function replace(etag: string, spec: AgentDeploymentSpec) {
  return replaceAgent({
    path,
    headers: { 'If-Match': etag },
    body: { metadata: { name, labels: { team: 'red' } }, spec },
  })
}
