import assert from 'node:assert/strict'
import test from 'node:test'
import { request as httpsRequest } from 'node:https'
import type { TestContext } from 'node:test'
import { text as readText } from 'node:stream/consumers'
import { MAX_AMP_PAYLOAD } from '#schemas/launcher/envelope.ts'
import { answered, json, startAmpLauncher, startAmpState } from '#launcher/testdata/amp-launcher.ts'
import { envelopeOf, keyedAgent, registryOf } from '#launcher/testdata/envelopes.ts'
import type { EnvelopeClaims } from '#launcher/testdata/envelopes.ts'
import { until } from '#launcher/testdata/launch.ts'

interface Answer {
  readonly status: number
  readonly error: unknown
  readonly body: unknown
}

// Of a machine that runs many tests at once.
const busyMs = 120_000
const planner = await keyedAgent('planner')
const writer = await keyedAgent('writer')

async function startCallee(t: TestContext) {
  const state = await startAmpState(t)
  state.registries = [registryOf(planner)]
  const callee = await startAmpLauncher(t, writer, { stateUrl: state.url })
  const port = Number(callee.open['ampInbound'])
  const send = (path: string, headers: Record<string, string>, body: string): Promise<Answer> =>
    sendTo(port, path, headers, body)
  return {
    state,
    callee,
    send,
    created: () => state.requests.filter(({ path }) => path === '/amp/calls'),
    async call(payload: unknown = 'x', some: Partial<EnvelopeClaims> = {}, path = '/amp/writer'): Promise<Answer> {
      const token = await envelopeOf(planner, writer, payload, { some })
      return send(
        path,
        { 'x-amp-envelope': token, 'x-a2a-envelope': token },
        JSON.stringify({ envelope: token, payload }),
      )
    },
  }
}

function sendTo(port: number, path: string, headers: Record<string, string>, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        rejectUnauthorized: false,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        readText(response).then((text) => {
          const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
          return resolve({ status: response.statusCode ?? 0, error: parsed['error'], body: parsed })
        }, reject)
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

test('H3: a call under a valid envelope becomes a run of this agent, at both paths', async (t) => {
  const { call, created } = await startCallee(t)
  for (const path of ['/amp/writer', '/a2a/writer']) {
    const answer = await call({ text: 'hello' }, {}, path)
    assert.deepEqual([answer.status, answer.body], [200, answered])
  }
  const [first] = created()
  assert.deepEqual(Object.keys(JSON.parse(first?.text ?? '{}')), ['envelope', 'payload'])
  assert.equal(first?.headers.authorization, `Bearer ${writer.peer.uid}`)
})

test('E1: unsigned, replayed and swapped calls start nothing, and an unsigned body is not read', async (t) => {
  const { send, created, state } = await startCallee(t)
  const payload = 'x'
  const token = await envelopeOf(planner, writer, payload)
  const body = JSON.stringify({ envelope: token, payload })
  const refused = async (headers: Record<string, string>, sent = body) => {
    const { status, error } = await send('/amp/writer', headers, sent)
    assert.deepEqual([status, error], [403, 'caller_not_allowed'])
  }
  await refused({})
  await refused({ 'x-a2a-envelope': 'e30.e30.e30' })
  await refused({ authorization: `Bearer ${token}` })
  // Half of a body, never completed: the refusal does not wait for it.
  await refused({ 'content-length': '900000' }, 'x')
  await refused({ 'x-amp-envelope': token }, JSON.stringify({ envelope: token, payload: 'y' }))
  await refused({ 'x-amp-envelope': token })
  assert.equal(created().length, 0, 'also not for the replay with the right body')
  const fresh = await envelopeOf(planner, writer, payload)
  assert.equal(
    (await send('/amp/writer', { 'x-amp-envelope': fresh }, JSON.stringify({ envelope: fresh, payload }))).status,
    200,
  )
  await refused({ 'x-amp-envelope': fresh }, JSON.stringify({ envelope: fresh, payload }))
  assert.equal(created().length, 1)
  assert.equal(
    state.requests.some(({ text }) => text.includes(token)),
    false,
  )
})

test('R2-N3, E1: calls go on with any certified launcher of the caller, and end with the agent', async (t) => {
  const { state, send, created } = await startCallee(t)
  const callWith = async (agent: typeof planner): Promise<number> => {
    const token = await envelopeOf(agent, writer, 'x')
    return (await send('/amp/writer', { 'x-amp-envelope': token }, JSON.stringify({ envelope: token, payload: 'x' })))
      .status
  }
  const [second, recreated] = [await keyedAgent('planner'), await keyedAgent('planner', { uid: 'uid-2' })]
  assert.deepEqual([await callWith(planner), await callWith(second)], [200, 200], 'two pods of one agent')
  assert.equal(await callWith(recreated), 403, 'an agent that the directory does not have')
  state.registries = [registryOf(recreated)]
  await until(async () => (await callWith(recreated)) === 200, 'the directory is read again for a new uid', busyMs)
  const before = created().length
  assert.deepEqual([await callWith(planner), await callWith(recreated)], [403, 200])
  assert.equal(created().length, before + 1)
})

test('H3: it serves its own agent only, and refuses what is malformed or too large', async (t) => {
  const { call, send, created } = await startCallee(t)
  const other = await call('x', {}, '/amp/planner')
  assert.deepEqual([other.status, other.error], [404, 'unknown_target'])
  const token = await envelopeOf(planner, writer, 'x')
  const broken = await send('/amp/writer', { 'x-amp-envelope': token }, '{"envelope":')
  assert.deepEqual([broken.status, broken.error], [400, 'malformed_request'])
  const big = await call('x'.repeat(MAX_AMP_PAYLOAD + 16 * 1024))
  assert.deepEqual([big.status, big.error], [413, 'payload_too_large'])
  const hosts = await send('/amp/writer', { host: 'evil.example' }, '{}')
  assert.equal(hosts.status, 421)
  assert.equal(created().length, 0)
})

for (const [name, status, body, expected] of [
  ['depth', 409, { code: 'depth_exceeded' }, [409, 'depth_exceeded']],
  ['cycle', 409, { code: 'cycle_detected' }, [409, 'cycle_detected']],
  ['key of another call', 409, { code: 'idempotency_conflict' }, [409, 'idempotency_conflict']],
  ['policy', 403, { code: 'caller_not_allowed' }, [403, 'caller_not_allowed']],
  ['right of the subject', 403, { code: 'forbidden' }, [403, 'caller_not_allowed']],
  ['run that has ended', 409, { code: 'run_terminal' }, [403, 'caller_not_allowed']],
  ['quota', 429, { code: 'quota_exceeded', detail: 'too many' }, [502, 'upstream_failure']],
  ['failure', 500, {}, [502, 'upstream_failure']],
  ['nonsense', 201, { id: 1 }, [502, 'upstream_failure']],
] as const)
  test(`E4: ${name} at the state role is ${expected.join(' ')}`, async (t) => {
    const { state, call } = await startCallee(t)
    state.calls = (response) => json(response, status, body)
    const answer = await call()
    assert.deepEqual([answer.status, answer.error], expected)
  })

for (const [reason, state, expected] of [
  ['guardrail_blocked', 'failed', 'blocked'],
  ['approval_denied', 'rejected', 'blocked'],
  ['budget_exceeded', 'failed', 'budget_exceeded'],
  ['agent_error', 'failed', 'upstream_failure'],
  [undefined, 'timed_out', 'upstream_failure'],
  [undefined, 'cancelled', 'upstream_failure'],
] as const)
  test(`E4: a run that ended as ${state} (${reason ?? 'no reason'}) is ${expected}`, async (t) => {
    const { state: role, call } = await startCallee(t)
    const run = { id: 'run-1', conversationId: 'c', output: null }
    role.calls = (response) => json(response, 201, { ...run, state: 'queued' })
    role.waits = (response) =>
      json(response, 200, { ...run, state, error: reason && { code: reason, message: 'It ended.' } })
    const answer = await call()
    assert.equal(answer.error, expected)
    assert.match(JSON.stringify(answer.body), /run-1/)
  })

test('E4: without the state role a call is upstream_failure; known members are not forgotten', async (t) => {
  const { state, call } = await startCallee(t)
  assert.equal((await call()).status, 200)
  state.away = true
  const away = await call()
  assert.deepEqual([away.status, away.error], [502, 'upstream_failure'])
  state.away = false
  assert.equal((await call()).status, 200)
})

test('a caller that goes away ends the wait, not the run', async (t) => {
  const { state, callee } = await startCallee(t)
  const run = { id: 'run-1', conversationId: 'c', output: null }
  let waits = 0
  state.calls = (response) => json(response, 201, { ...run, state: 'queued' })
  state.waits = () => void waits++
  const token = await envelopeOf(planner, writer, 'x')
  const request = httpsRequest({
    host: '127.0.0.1',
    port: Number(callee.open['ampInbound']),
    path: '/amp/writer',
    method: 'POST',
    rejectUnauthorized: false,
    headers: { 'content-type': 'application/json', 'x-amp-envelope': token },
  })
  request.on('error', () => undefined)
  request.end(JSON.stringify({ envelope: token, payload: 'x' }))
  await until(() => waits === 1, 'the launcher waits for the run')
  request.destroy()
  await until(
    () => callee.lines.some(({ span }) => (span as { name?: string } | undefined)?.name === 'called by agent'),
    'the call has ended',
  )
  assert.equal(waits, 1)
  assert.equal(
    state.requests.some(({ path }) => path.includes('cancel')),
    false,
  )
})

test('P3: while it drains, a call is refused with Retry-After', async (t) => {
  const { callee, call, created } = await startCallee(t)
  callee.launcher.drain()
  const answer = await call()
  assert.deepEqual([answer.status, answer.error], [503, 'draining'])
  assert.equal(created().length, 0)
})
