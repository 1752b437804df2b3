import assert from 'node:assert/strict'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

// Creates and updates an agent and reads both event streams with a client of openapi-typescript and openapi-fetch.
const { MESH_URL: baseUrl = '', MESH_TOKEN: token = '', MESH_AGENT: name = '' } = process.env
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })
const path = { ns: 'demo', name }

const created = await api.POST('/api/agents', {
  body: { namespace: 'demo', config: { name, model: { route: 'mock' } } },
})
assert.equal(created.response.status, 201)
const stale = created.response.headers.get('etag') ?? ''

// The manager may update the status between read and write.
let replaced = false
for (let tries = 0; !replaced && tries < 20; tries++) {
  const { data, response } = await api.GET('/api/agents/{ns}/{name}', { params: { path } })
  assert.ok(data)
  const answer = await replace(response.headers.get('etag') ?? '', data.spec)
  replaced = answer.response.status === 200
  if (replaced) assert.equal(answer.data?.metadata.labels?.['team'], 'red')
}
assert.ok(replaced)
const refused = await replace(stale, { model: { route: 'mock' } })
assert.deepEqual([refused.response.status, refused.error?.code], [412, 'precondition_failed'])

const started = await api.POST('/api/runs', { body: { agent: { namespace: 'demo', name: 'hello' }, input: 'Hi' } })
assert.ok(started.data)
const { id } = started.data
const run = await api.GET('/api/runs/{id}/events', { params: { path: { id } }, parseAs: 'stream' })
const kinds: components['schemas']['RunEventKind'][] = []
for await (const event of framesOf<components['schemas']['RunEvent']>(run.response)) {
  assert.equal(event.runId, id)
  kinds.push(event.kind)
}
assert.ok(kinds.includes('message.finished') && kinds.includes('run.succeeded'), kinds.join())

const end = new AbortController()
const events = await api.GET('/api/events', {
  params: { query: { namespace: 'demo', after: 'start' } },
  parseAs: 'stream',
  signal: end.signal,
})
let seen = 0
for await (const event of framesOf<components['schemas']['CloudEvent']>(events.response)) {
  seen++
  if (event.type === 'dev.mesh.runs.succeeded.v1' && event.data.runId === id) break
}
end.abort()
const removed = await api.DELETE('/api/agents/{ns}/{name}', { params: { path } })
assert.equal(removed.response.status, 204)
console.log(`${kinds.length} run events, ${seen} domain events`)

function replace(etag: string, spec: components['schemas']['AgentDeploymentSpec']) {
  const body = { metadata: { name, labels: { team: 'red' } }, spec }
  return api.PUT('/api/agents/{ns}/{name}', { params: { path, header: { 'If-Match': etag } }, body })
}

async function* framesOf<T>({ body }: Response): AsyncGenerator<T> {
  assert.ok(body)
  const frames = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data } of frames) yield JSON.parse(data) as T
}
