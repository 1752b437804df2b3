import assert from 'node:assert/strict'
import test from 'node:test'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { ChildRunRequest } from '../contract/wire.ts'
import { listen } from '#test/harness/listen.ts'
import { post, readEvents } from '#launcher/testdata/launch.ts'
import type { MoneyFault } from '#launcher/testdata/money-server.ts'
import { startProxied } from '#launcher/testdata/proxied-launcher.ts'

test('delegations of several runs at once belong to the run that each names, and carry its deadline', async (t) => {
  const requests: ChildRunRequest[] = []
  const stateRole: MoneyFault = ({ path, body }, response) => {
    if (path !== '/runs') return false
    requests.push(body as unknown as ChildRunRequest)
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: `child-of-${String(body['input'])}`, state: 'queued' }))
    return true
  }
  const both = Promise.withResolvers<void>()
  let started = 0
  const work = async (headers: IncomingHttpHeaders): Promise<unknown> => {
    const id = String(headers['x-mesh-run-id'])
    if (++started === 2) both.resolve()
    await both.promise
    const delegate = (how: string, more: Record<string, string>) =>
      post(
        `http://127.0.0.1:${launcher.open['delegate']}/delegate`,
        { agent: 'back', input: `${id} ${how}`, wait: false },
        more,
      )
    await delegate('by id', { 'x-mesh-run-id': id })
    await delegate('by trace', { traceparent: String(headers['traceparent']) })
    await delegate('unnamed', {})
    return id
  }
  const agent = createServer((request, response) => {
    if (request.url !== '/invoke') return void response.writeHead(404).end()
    request.resume()
    const answer = (output: unknown): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output }))
    work(request.headers).then(answer, () => response.destroy())
  })
  const launcher = await startProxied(t, {
    money: false,
    config: { limits: { concurrency: 2, timeout: '5m' } },
    env: { AGENT_PORT: new URL(await listen(t, agent)).port },
  })
  launcher.money.faults.push(stateRole)
  const url = `http://127.0.0.1:${launcher.open['invoke']}`
  const run = async (id: string) => {
    await post(`${url}/invoke`, { input: {} }, { 'x-mesh-run-id': id })
    return readEvents(`${url}/runs/${id}/events`)
  }
  const before = Date.now()
  const [first = [], second = []] = await Promise.all(['r1', 'r2'].map(run))
  const after = Date.now()
  const parents = Object.fromEntries(requests.map(({ input, parentRunId }) => [input, parentRunId]))
  assert.deepEqual(parents, {
    'r1 by id': 'r1',
    'r1 by trace': 'r1',
    'r1 unnamed': undefined,
    'r2 by id': 'r2',
    'r2 by trace': 'r2',
    'r2 unnamed': undefined,
  })
  for (const { input, parentRunId, deadline } of requests) {
    const end = deadline === undefined ? undefined : Date.parse(deadline)
    if (parentRunId === undefined) assert.equal(end, undefined, String(input))
    else
      assert.ok(end !== undefined && end >= before + 300_000 && end <= after + 300_000, `${String(input)}: ${deadline}`)
  }
  for (const [id, entries] of [['r1', first] as const, ['r2', second] as const])
    assert.deepEqual(
      entries.filter(({ kind }) => kind === 'delegate.started').map(({ data }) => data['runId']),
      [`child-of-${id} by id`, `child-of-${id} by trace`],
    )
  const spans = launcher.spans().filter(({ name }) => name === 'delegate')
  assert.equal(spans.length, 6, 'one span for each')
})
