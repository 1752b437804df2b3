import assert from 'node:assert/strict'
import test from 'node:test'
import { at } from './api.ts'
import { sharedCluster } from './cluster-fixture.ts'
import { createProbeAgents } from './probe-agents.ts'

const memory = (method: string, path: string, body?: unknown) => ({ port: 'MEMORY_PORT', method, path, body })

test('H5: agents keep memory through port 2998 of their pods', { timeout: 480_000 }, async (t) => {
  const agents = await createProbeAgents(t, await sharedCluster(), 'memories')
  await agents.apply('notes', { memory: { session: {}, longTerm: {} } })
  await agents.apply('other', { memory: { session: {} } })
  await agents.ready('notes', 'other')
  const step = (name: string, work: () => Promise<void>) => t.test(name, () => agents.explain(work))
  const entry = { text: 'The invoice is due on Friday', n: 1 }

  await step('session memory is appended to, read and searched, and is not that of another agent', async () => {
    const found = await agents.probe(
      'notes',
      { request: memory('POST', '/memory/monday/append', entry) },
      { request: memory('GET', '/memory/monday') },
      { request: memory('GET', '/memory/monday/search?q=invoice') },
      { request: memory('GET', '/memory/tuesday') },
    )
    assert.deepEqual(
      found.map((one) => [at(one, 'status'), at(one, 'body')]),
      [
        [201, { length: 1 }],
        [200, [entry]],
        [200, [entry]],
        [200, []],
      ],
    )
    assert.deepEqual((await agents.request('other', memory('GET', '/memory/monday'))).body, [])
  })
  await step('long-term memory is found by its words, where it is bound', async () => {
    const search = memory('POST', '/memory/agent/search', { query: 'tea' })
    const [stored, found] = await agents.probe(
      'notes',
      { request: memory('POST', '/memory/agent/remember', { text: 'Ada prefers tea' }) },
      { request: search },
    )
    assert.equal(at(stored, 'status'), 201, JSON.stringify(stored))
    assert.equal(at(found, 'body', 'items', 0, 'text'), 'Ada prefers tea', JSON.stringify(found))
    const unbound = await agents.request('other', search)
    assert.deepEqual([unbound.status, at(unbound.body, 'error')], [404, 'not_bound'])
  })
  await step('it outlives the pod', async () => {
    const pod = String(at(await agents.pod('notes'), 'metadata', 'name'))
    await agents.kubectl(['delete', 'pod', pod, '--wait=true', '--timeout=90s'])
    await agents.ready('notes')
    const [read] = await agents.probe('notes', { request: memory('GET', '/memory/monday') })
    assert.deepEqual([at(read, 'status'), at(read, 'body')], [200, [entry]])
  })
})
