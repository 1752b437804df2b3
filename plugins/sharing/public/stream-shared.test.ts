import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { TestServer } from '#core/http/testing/build-server.ts'
import { deleteRuns } from '#plugins/runs/retention/delete-runs.ts'
import { openShares } from '../testing/shares.ts'

// More than the socket buffers of both ends, so that a client that does not read holds its stream open.
const large = sql<string>`(select json_agg(json_build_object('v', 1, 'seq', n, 'runId', 'r', 'ts', '', 'kind', 'message.finished',
  'agent', 'robot', 'path', json_build_array('robot'), 'spanId', '', 'data', json_build_object('text', repeat('x', 200000))))::text
  from generate_series(1, 80) n)`

async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

async function share(app: FastifyInstance, runId: string): Promise<{ readonly id: string; readonly token: string }> {
  const headers = { authorization: 'Bearer alice-token' }
  const answer = await app.inject({ method: 'POST', url: `/api/runs/${runId}/shares`, headers, payload: {} })
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json()
}

/** Opens a stream whose client reads no more than its head. Returns what the client reads when it continues. */
async function openLazily(t: TestContext, port: number, token: string): Promise<() => Promise<string>> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(`GET /api/shared/runs/${token} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  assert.match(head.toString(), /^HTTP\/1.1 200 /)
  socket.pause()
  return async () => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (part: Buffer) => (text += part.toString()))
    const closed = once(socket, 'close')
    socket.resume()
    await closed
    return text
  }
}

/** Waits until each replica has as many open streams. */
async function untilOpen(replicas: readonly TestServer[], count: number): Promise<void> {
  const end = performance.now() + 60_000
  while (!replicas.every(({ services }) => services.streams.size === count)) {
    assert.ok(performance.now() < end, `not ${count} streams`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: S3: a stream has the events of the share as a run has them, and ends`, { skip }, async (t) => {
    const { run, start } = await openShares(t, open)
    const { app } = await start()
    const port = await listen(app)
    const { id } = await run([['message.finished', { messageId: 'm', role: 'assistant', text: 'a\r\nevent: forged' }]])
    const { token } = await share(app, id)
    const url = `http://127.0.0.1:${port}/api/shared/runs/${token}`
    const answer = await fetch(url, { headers: { accept: 'text/event-stream' } })
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
    const frames = (await answer.text()).split('\n\n').filter((frame) => frame.includes('data: '))
    const kinds = frames.map((frame) => /^event: (.*)$/m.exec(frame)?.[1])
    assert.deepEqual(kinds, ['run.queued', 'message.finished', 'run.started', 'run.succeeded', 'stream.end'])
    const head = await fetch(url, { method: 'HEAD', headers: { accept: 'text/event-stream' } })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })

  test(
    `${name}: S4: a revocation, or the end of the run, cuts open streams in every replica at once`,
    { skip },
    async (t) => {
      const { run, start, deliver, world, database } = await openShares(t, open)
      const replicas = [await start(), await start()] as const
      const [{ app }] = replicas
      const [one, two] = [await run(), await run()]
      const [first, second] = [await share(app, one.id), await share(app, two.id)]
      await sql`update sharing_snapshots set events = ${large}`.execute(database.root)
      const cut: (() => Promise<string>)[] = []
      for (const replica of replicas) {
        const port = await listen(replica.app)
        for (const { token } of [first, second]) cut.push(await openLazily(t, port, token))
      }
      await untilOpen(replicas, 2)
      const headers = { authorization: 'Bearer alice-token' }
      const revoked = await app.inject({ method: 'DELETE', url: `/api/runs/${one.id}/shares/${first.id}`, headers })
      assert.equal(revoked.statusCode, 204)
      await untilOpen(replicas, 1)
      await world.store.transact((tx) => deleteRuns(tx, [two.id], { name: 'test', kind: 'controller' }))
      await deliver([two.id])
      await untilOpen(replicas, 0)
      for (const rest of cut) assert.doesNotMatch(await rest(), /stream\.end/)
      const { rows } = await sql`select 1 from sharing_snapshots`.execute(database.root)
      assert.deepEqual(rows, [])
    },
  )
}

test('S5: an address has its reads of a minute, and a refusal says nothing about the token', async (t) => {
  const [adapter] = pluginAdapters
  if (adapter === undefined) return
  const { run, start, metrics } = await openShares(t, adapter.open, { readsPerMinute: 2 })
  const { app } = await start({ trustProxy: ['127.0.0.1'] })
  const { token } = await share(app, (await run()).id)
  const read = (text: string, address: string) =>
    app.inject({ url: `/api/shared/runs/${text}`, headers: { 'x-forwarded-for': address } })
  const statuses = []
  for (const text of [token, 'x', token]) statuses.push((await read(text, '10.0.0.1')).statusCode)
  assert.deepEqual(statuses, [200, 404, 429])
  const [known, unknown] = [await read(token, '10.0.0.1'), await read('x', '10.0.0.1')]
  const shapeOf = ({ statusCode, body }: typeof known) => [statusCode, body.replace(/"traceId":"\w+"/, '')]
  assert.deepEqual(shapeOf(known), shapeOf(unknown))
  assert.ok(Number(known.headers['retry-after']) > 0)
  assert.ok(!known.body.includes(token.slice(5)))
  assert.equal((await read(token, '10.0.0.2')).statusCode, 200)
  const counts = await metrics.render()
  assert.match(counts, /mesh_sharing_reads_total\{outcome="limited"\} 3/)
  assert.match(counts, /mesh_sharing_reads_total\{outcome="shown"\} 2/)
})
