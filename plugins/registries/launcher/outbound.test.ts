import assert from 'node:assert/strict'
import test from 'node:test'
import { request as httpRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { MAX_AMP_PAYLOAD } from '#schemas/launcher/envelope.ts'
import type { Envelope } from '#schemas/launcher/envelope.ts'
import { answered, json, startAmpLauncher, startAmpState, startPeer } from '#launcher/testdata/amp-launcher.ts'
import type { AmpReply } from '#launcher/testdata/amp-launcher.ts'
import { keyedAgent, registryOf } from '#launcher/testdata/envelopes.ts'
import { fetch, until } from '#launcher/testdata/launch.ts'

const ok: AmpReply = (response) => json(response, 200, answered)

async function startCaller(
  t: TestContext,
  reply: AmpReply = ok,
  more: Parameters<typeof startAmpLauncher>[2]['config'] = {},
) {
  const state = await startAmpState(t)
  const planner = await keyedAgent('planner')
  const writer = await keyedAgent('writer')
  const peer = await startPeer(t, writer, reply)
  state.registries = [{ ...registryOf(), peers: [peer.entry] }]
  const caller = await startAmpLauncher(t, planner, { stateUrl: state.url, config: more })
  return {
    state,
    peer,
    caller,
    call: (path = '/amp/writer', body: unknown = 'x', headers = {}) => send(`${caller.url}${path}`, body, headers),
  }
}

// `fetch` refuses some of the headers that a hostile agent sends.
function send(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
    request.on('error', reject)
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      readText(response).then((answer) => resolve({ status, body: answer === '' ? {} : JSON.parse(answer) }), reject)
    })
    request.end(JSON.stringify(body))
  })
}

function claimsIn(token: unknown): Envelope {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Envelope
}

test('E3, E5: the peer gets the payload under both headers, and nothing of the request of the agent', async (t) => {
  const { peer, call } = await startCaller(t)
  const forged = {
    connection: 'x-amp-envelope, x-a2a-envelope, close',
    'x-amp-envelope': 'forged',
    'x-secret': 'secret',
    'x-conversation-id': 'chat-1',
    'idempotency-key': 'order-7',
  }
  const payload = { text: 'a', nested: [null, true, 'é'] }
  for (const path of ['/amp/writer', '/a2a/writer']) {
    const answer = await call(path, payload, forged)
    assert.deepEqual([answer.status, answer.body], [200, answered])
  }
  for (const { path, headers, text } of peer.requests) {
    assert.equal(path, '/amp/writer')
    const token = headers['x-amp-envelope']
    assert.equal(headers['x-a2a-envelope'], token)
    assert.ok(String(token).length <= 4096)
    assert.deepEqual(JSON.parse(text), { envelope: token, payload })
    assert.equal(headers['x-secret'], undefined)
    assert.equal(headers['x-conversation-id'], 'chat-1')
    const { from, to, path: agents, depth, role, access, conversationId, idempotencyKey, budget } = claimsIn(token)
    assert.deepEqual(
      [from, to, agents, depth, role],
      ['default/planner', 'default/writer', ['default/planner'], 1, 'member'],
    )
    assert.deepEqual(access, {
      subject: 'system:serviceaccount:default:planner',
      actor: 'system:serviceaccount:default:planner',
      scopes: [],
    })
    assert.deepEqual([conversationId, idempotencyKey, budget], ['chat-1', 'order-7', null])
  }
  const [first, second] = peer.requests.map(({ headers }) => claimsIn(headers['x-amp-envelope']).id)
  assert.notEqual(first, second)
})

test('E5: a target is the name of a member; addresses, dots, ports and localhost are refused without a look-up', async (t) => {
  const { state, peer, call } = await startCaller(t)
  for (const target of [
    'localhost',
    '127.0.0.1',
    '%5B::1%5D',
    'writer.default',
    'writer:2997',
    'WRITER',
    'wri%74er',
    '-',
    'a'.repeat(64),
    'writer%00',
    '@writer',
  ])
    assert.deepEqual(
      await call(`/amp/${target}`).then(({ status, body }) => [status, body.error]),
      [404, 'unknown_target'],
      target,
    )
  assert.equal((await call('/amp/')).status, 404)
  assert.equal(peer.requests.length, 0)
  const directories = state.requests.filter(({ path }) => path === '/amp/directory').length
  assert.ok(directories <= 3, `${directories} look-ups`)
})

test('R2-M5, R2-M9: a member that may not be called is caller_not_allowed, the agent itself cycle_detected', async (t) => {
  const { state, peer, call } = await startCaller(t)
  const [registry] = state.registries
  assert.ok(registry)
  const silent = (await keyedAgent('auditor', { outbound: false, inbound: false })).peer
  const inbound = (await keyedAgent('visitor', { outbound: false })).peer
  state.registries = [{ ...registry, peers: [peer.entry, silent, inbound] }]
  const refused = async (name: string) => {
    const { status, body } = await call(`/amp/${name}`)
    return [status, body.error]
  }
  assert.deepEqual(await refused('auditor'), [403, 'caller_not_allowed'])
  assert.deepEqual(await refused('visitor'), [403, 'caller_not_allowed'])
  assert.deepEqual(await refused('planner'), [409, 'cycle_detected'])
  assert.deepEqual(await refused('nameless'), [404, 'unknown_target'])
  assert.equal(peer.requests.length, 0)
  assert.equal((await call()).status, 200)
})

test('E4: malformed requests are 400, an oversize payload 413 before it is read', async (t) => {
  const { peer, call, caller } = await startCaller(t)
  const refused = async (headers: Record<string, string>) => (await call('/amp/writer', 'x', headers)).body.error
  assert.equal(await refused({ 'x-conversation-id': 'a b' }), 'malformed_request')
  assert.equal(await refused({ 'idempotency-key': 'k'.repeat(256) }), 'malformed_request')
  assert.equal(await refused({ 'x-mesh-run-id': 'unknown-run' }), 'unknown_run')
  const raw = await fetch(`${caller.url}/amp/writer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":',
  })
  assert.equal(raw.status, 400)
  const text = await fetch(`${caller.url}/amp/writer`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  })
  assert.equal(text.status, 415)
  const big = await call('/amp/writer', 'x'.repeat(MAX_AMP_PAYLOAD))
  assert.deepEqual([big.status, big.body.error], [413, 'payload_too_large'])
  assert.equal(peer.requests.length, 0)
})

for (const [code, status] of [
  ['caller_not_allowed', 403],
  ['depth_exceeded', 409],
  ['cycle_detected', 409],
  ['idempotency_conflict', 409],
  ['budget_exceeded', 402],
  ['payload_too_large', 413],
  ['blocked', 502],
  ['upstream_failure', 502],
] as const)
  test(`E4: ${code} of the peer is relayed as ${status}`, async (t) => {
    const { call } = await startCaller(t, (response) => {
      response.setHeader('x-mesh-run-id', 'run-9')
      json(response, status, { error: code, message: 'because' })
    })
    const answer = await call()
    assert.deepEqual([answer.status, answer.body], [status, { error: code, message: 'because' }])
  })

for (const [name, reply] of [
  ['a status of another kind', (response) => json(response, 418, { error: 'blocked' })],
  ['a redirect', (response) => response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end()],
  ['no JSON', (response) => response.writeHead(200).end('<html>')],
  ['JSON of another form', (response) => json(response, 200, { output: 1 })],
  [
    'an answer of more than 1 MiB',
    (response) => json(response, 200, { ...answered, output: 'x'.repeat(MAX_AMP_PAYLOAD) }),
  ],
  ['deep JSON', (response) => response.writeHead(200).end(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  [
    'a cut in mid-response',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"runId":"run-1",', () => response.destroy())
    },
  ],
  ['a cut before the response', (response) => response.destroy()],
] as const satisfies readonly (readonly [string, AmpReply])[])
  test(`E4: ${name} is upstream_failure, and the launcher serves the next call`, async (t) => {
    const { peer, call } = await startCaller(t, reply)
    const answer = await call()
    assert.deepEqual([answer.status, answer.body.error], [502, 'upstream_failure'])
    peer.reply = ok
    assert.equal((await call()).status, 200)
  })

test('E4: a killed, an unproved and a frozen peer are upstream_failure', async (t) => {
  const { state, peer, call } = await startCaller(t, ok, { limits: { timeout: '1s' } })
  const [registry] = state.registries
  assert.ok(registry)
  peer.reply = () => undefined
  const frozen = await call()
  assert.deepEqual([frozen.status, frozen.body.error], [502, 'upstream_failure'])
  peer.reply = ok
  const impostor = await startPeer(t, await keyedAgent('stranger'), ok)
  peer.server.closeAllConnections()
  peer.server.close()
  const killed = await call()
  assert.deepEqual([killed.status, killed.body.error], [502, 'upstream_failure'])
  // Another address, and a process there with the certificate of another agent.
  state.registries = [{ ...registry, peers: [{ ...peer.entry, url: impostor.url }] }]
  await until(async () => {
    assert.equal((await call()).status, 502)
    return state.requests.filter(({ path }) => path === '/amp/directory').length > 2
  }, 'the new address was used')
  assert.equal(impostor.requests.length, 0, 'an impostor sees no payload')
})

test('E4: a peer that restarted at another address is found without a failed call', async (t) => {
  const { state, peer, call } = await startCaller(t)
  assert.equal((await call()).status, 200)
  const writer = await keyedAgent('writer')
  const restarted = await startPeer(t, writer, ok)
  peer.server.closeAllConnections()
  peer.server.close()
  state.registries = [{ ...registryOf(), peers: [restarted.entry] }]
  await until(async () => (await call()).status === 200, 'the new address is used')
})

test('R2-N3, E1: calls go to any certified launcher of the called agent, and find a re-created one', async (t) => {
  const { state, peer, call } = await startCaller(t)
  assert.equal((await call()).status, 200)
  const recreated = await startPeer(t, await keyedAgent('writer', { uid: 'uid-2' }), ok)
  // At the address that the caller knows is a launcher of another agent of that name.
  state.registries = [{ ...registryOf(), peers: [{ ...peer.entry, url: recreated.url }] }]
  peer.server.closeAllConnections()
  peer.server.close()
  const reads = (): number => state.requests.filter(({ path }) => path === '/amp/directory').length
  const readsAgain = async (status: number, why: string): Promise<boolean> => {
    const before = reads()
    const answer = await call()
    if (reads() === before) return false
    assert.equal(answer.status, status, why)
    return true
  }
  await until(() => readsAgain(502, 'its uid is not in the directory yet'), 'the address is in the directory', 60_000)
  assert.equal(recreated.requests.length, 0, 'no payload went to a launcher of another agent')
  state.registries = [{ ...registryOf(), peers: [recreated.entry] }]
  await until(() => readsAgain(200, 'the call that reads the directory is made'), 'the directory is read again', 60_000)
  const calls = await Promise.all(Array.from({ length: 10 }, () => call()))
  assert.deepEqual(new Set(calls.map(({ status }) => status)), new Set([200]))
})

test('B5: without an answer of the ledger, and with an empty budget, no call is made', async (t) => {
  const { state, peer, call } = await startCaller(t)
  state.budget = { remaining: '0', currency: 'EUR' }
  const spent = await call()
  assert.deepEqual([spent.status, spent.body.error], [402, 'budget_exceeded'])
  state.budget = { remaining: '1.5', currency: 'EUR' }
  assert.equal((await call()).status, 200)
  assert.deepEqual(claimsIn(peer.requests.at(-1)?.headers['x-amp-envelope']).budget, state.budget)
  state.away = true
  const away = await call()
  assert.deepEqual([away.status, away.body.error], [502, 'upstream_failure'])
  assert.equal(peer.requests.length, 1)
})

test('H1, H2: the outbound listener is guarded and on loopback only', async (t) => {
  const { caller, call } = await startCaller(t)
  assert.equal((await call('/amp/writer', 'x', { origin: 'https://evil.example' })).status, 403)
  assert.equal((await call('/amp/writer', 'x', { host: 'writer.default:2997' })).status, 421)
  assert.equal((await call('/amp/writer', 'x', { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await fetch(`${caller.url}/amp/writer`)).status, 405)
})
