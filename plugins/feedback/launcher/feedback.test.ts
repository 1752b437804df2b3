import assert from 'node:assert/strict'
import test from 'node:test'
import { request as connect } from 'node:http'
import type { TestContext } from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { post, until } from '#launcher/testdata/launch.ts'
import { refusing } from '#launcher/testdata/money-server.ts'
import type { MoneyRequest } from '#launcher/testdata/money-server.ts'
import { startProxied } from '#launcher/testdata/proxied-launcher.ts'

const runId = '019a0000-0000-7000-8000-000000000000'
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

/** A launcher with port 2995 and a state role that records scores, or answers as `faults` say. */
async function start(t: TestContext) {
  const launcher = await startProxied(t, { env: { FEEDBACK_PORT: '0' } })
  const { money, open, spans } = launcher
  const received: MoneyRequest[] = []
  const faults: typeof money.faults = []
  money.faults.push((request, response) => {
    if (request.path !== '/feedback') return false
    received.push(request)
    if (faults.some((fault) => fault(request, response))) return true
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ id: uuidV7() }))
    return true
  })
  const url = `http://127.0.0.1:${open['feedback']}/feedback`
  const send = (body: unknown, headers?: Record<string, string>) => post(url, body, headers)
  return { ...launcher, url, received, faults, send, of: () => spans().filter(({ name }) => name === 'feedback') }
}

test('2995 is closed without FEEDBACK_PORT', async (t) => {
  const { open } = await startProxied(t)
  assert.equal(open['feedback'], undefined)
  assert.deepEqual(Object.keys(open).toSorted(), ['budget', 'delegate', 'invoke'])
})

test('2995 passes a score on with the launcher’s token, and makes exactly one span for it', async (t) => {
  const { send, received, of } = await start(t)
  const body = { runId, name: 'tone', value: 0.5, comment: 'a secret' }
  const { status, body: answer } = await send(body, { 'idempotency-key': 'k1' })
  assert.equal(status, 202)
  assert.match(String(answer['id']), /^[0-9a-f-]{36}$/)
  assert.deepEqual(
    received.map((one) => [one.body, one.authorization]),
    [[body, 'Bearer state-token']],
  )
  assert.deepEqual(
    of().map((span) => [span['status'], span['mesh.feedback.name']]),
    [['ok', 'tone']],
  )
  assert.doesNotMatch(JSON.stringify(of()), /secret/)
})

test('2995: the span belongs to the trace of the agent’s request, else to the scored run while it is active', async (t) => {
  const { send, of, launcher } = await start(t)
  const parent = `00-${traceId}-${'3'.repeat(16)}-01`
  await send({ runId, value: 1 }, { traceparent: parent })
  assert.deepEqual([of()[0]?.['traceId'], of()[0]?.['parentSpanId']], [traceId, '3'.repeat(16)])
  await send({ runId, value: 1 })
  assert.notEqual(of()[1]?.['traceId'], traceId)
  assert.equal(launcher.registry.active().length, 0)
})

test('2995: each refusal of the state role has its code, and spans end as errors', async (t) => {
  const { send, faults, of } = await start(t)
  for (const [status, code, expected, answer] of [
    [404, 'not_found', 'unknown_run', 404],
    [409, 'idempotency_conflict', 'idempotency_conflict', 409],
    [429, 'too_many_scores', 'too_many_scores', 429],
    [400, 'invalid_body', 'malformed_request', 400],
    [401, 'unauthenticated', 'feedback_unavailable', 502],
    [403, 'forbidden', 'feedback_unavailable', 502],
    [500, 'internal_error', 'feedback_unavailable', 502],
    [503, 'store_unavailable', 'feedback_unavailable', 502],
  ] as const) {
    faults.splice(0, 1, refusing(/feedback/, status, code))
    const refused = await send({ runId, value: 1 })
    assert.deepEqual([refused.status, refused.body['error']], [answer, expected], `${status} ${code}`)
  }
  assert.deepEqual(new Set(of().map(({ status }) => status)), new Set(['error']))
  assert.equal(of().length, 8)
})

test('2995: a state role that is away or answers nonsense is 502, and the launcher goes on', async (t) => {
  const { send, faults, money } = await start(t)
  faults.push((_, response) => {
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"id":')
    return true
  })
  assert.deepEqual((await send({ runId, value: 1 })).body['error'], 'feedback_unavailable')
  faults.splice(0, 1, (_, response) => {
    response.destroy()
    return true
  })
  assert.equal((await send({ runId, value: 1 })).status, 502)
  faults.splice(0)
  assert.equal((await send({ runId, value: 1 })).status, 202)
  await money.close()
  assert.deepEqual(await send({ runId, value: 1 }), {
    status: 502,
    body: { error: 'feedback_unavailable', message: 'the state role cannot be reached' },
  })
})

test('2995: F1, F5, F9: hostile bodies are refused by field, before the state role is called', async (t) => {
  const { url, received } = await start(t)
  const raw = async (text: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    })
    return [answer.status, ((await answer.json()) as { message: string }).message.split(':')[0]]
  }
  const of = (fields: string): string => `{"runId":"${runId}",${fields}}`
  for (const [text, field] of [
    [of('"value":1e400'), 'value'],
    [of('"value":1e13'), 'value'],
    [of('"value":null'), 'value'],
    [of('"value":{}'), 'value'],
    [of('"value":""'), 'value'],
    [of('"value":"\\u0000"'), 'value'],
    [of('"value":"\\ud800"'), 'value'],
    [of(`"value":"${'x'.repeat(257)}"`), 'value'],
    [of('"value":1,"comment":"\\ud800"'), 'comment'],
    [of('"value":1,"comment":7'), 'comment'],
    [of(`"value":1,"comment":"${'x'.repeat(4_001)}"`), 'comment'],
    [of('"value":1,"name":"-"'), 'name'],
    [of('"value":1,"x":1'), 'x'],
    ['{"runId":"1","value":1}', 'runId'],
    [`{"traceId":"${traceId.toUpperCase()}","value":1}`, 'traceId'],
    ['{"value":1}', 'runId'],
    [`{"runId":"${runId}","traceId":"${traceId}","value":1}`, 'runId'],
    [`{"runId":"${runId}"}`, 'value'],
  ] as const)
    assert.deepEqual(await raw(text), [400, field], text.slice(0, 100))
  assert.deepEqual((await raw(of('"value":NaN')))[0], 400)
  assert.deepEqual((await raw(of(`"value":1,"comment":"${'x'.repeat(70_000)}"`)))[0], 413)
  assert.deepEqual(await raw(of('"value":1'), { 'idempotency-key': 'a b' }), [400, 'Idempotency-Key'])
  assert.deepEqual(received, [])
})

test('2995: an agent that leaves ends the call to the state role', async (t) => {
  const { url, faults, money, of } = await start(t)
  const left = new Promise<void>((resolve) => {
    faults.push((_, response) => {
      response.once('close', resolve)
      return true
    })
  })
  const body = JSON.stringify({ runId, value: 1 })
  const agent = connect(url, { method: 'POST', headers: { 'content-type': 'application/json' } })
  agent.on('error', () => undefined).end(body)
  await money.until(/^\/feedback$/)
  agent.destroy()
  await left
  await until(() => of().length === 1, 'the span ended')
  assert.equal(of()[0]?.['status'], 'error')
})
