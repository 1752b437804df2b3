import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { signJws } from '#core/signing/jws.ts'
import type { AttemptToken, RunGrant } from '#schemas/runs/run.ts'
import type { Scope } from '#test/harness/scope.ts'
import { fetch, launch, post, readEvents } from '../../testdata/launch.ts'
import { nodeAgent } from '../../testdata/node-agent.ts'

interface Key {
  readonly id: string
  readonly key: KeyObject
  readonly publicKey: KeyObject
}

function newKey(id: string): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { id, key: privateKey, publicKey }
}

/** Serves `/jwks` as the state role does; counts how often it is asked. */
async function serveKeys(t: Scope, keys: Key[]) {
  let asked = 0
  const server = createServer(({ url }, response) => {
    if (url !== '/jwks') return void response.writeHead(404).end()
    asked++
    const set = keys.map(({ id, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: id,
      use: 'sig',
      alg: 'EdDSA',
    }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: set }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked, server }
}

const seconds = (): number => Math.floor(Date.now() / 1000)

function grant(key: Key, more: Partial<RunGrant> = {}): Promise<string> {
  const claims: RunGrant = {
    typ: 'mesh-run-grant',
    runId: 'r1',
    agentUid: 'uid-1',
    subject: 'ann',
    groups: [],
    scopes: [],
    iat: seconds(),
    exp: seconds() + 3600,
    ...more,
  }
  return signJws(key, claims)
}

function attempt(key: Key, more: Partial<AttemptToken> = {}): Promise<string> {
  const claims: AttemptToken = {
    typ: 'mesh-run-attempt',
    runId: 'r1',
    agentUid: 'uid-1',
    epoch: 1,
    iat: seconds(),
    exp: seconds() + 300,
    ...more,
  }
  return signJws(key, claims)
}

function headers(grantToken: string, attemptToken: string, runId = 'r1'): Record<string, string> {
  return { 'x-mesh-run-id': runId, 'x-mesh-run-grant': grantToken, 'x-mesh-run-attempt': attemptToken }
}

test('authorizer: a run needs a grant and an attempt for this agent and this run', async (t) => {
  const key = newKey('k1')
  const stranger = newKey('k1')
  const state = await serveKeys(t, [key])
  const launched = await launch(t, { command: nodeAgent, signed: true, env: { STATE_URL: state.url } })
  const invoke = (sent: Record<string, string>) => post(`${launched.url}/invoke`, { input: {} }, sent)
  const past = seconds() - 10
  const refused: Record<string, string>[] = [
    {},
    { 'x-mesh-run-id': 'r1' },
    { 'x-mesh-run-id': 'r1', 'x-mesh-run-grant': await grant(key) },
    { 'x-mesh-run-id': 'r1', 'x-mesh-run-attempt': await attempt(key) },
    headers(await grant(key), await grant(key)),
    headers(await attempt(key), await attempt(key)),
    headers(await grant(stranger), await attempt(key)),
    headers(await grant(key), await attempt(stranger)),
    headers(await grant(key, { agentUid: 'uid-2' }), await attempt(key)),
    headers(await grant(key), await attempt(key, { agentUid: 'uid-2' })),
    headers(await grant(key, { runId: 'r2' }), await attempt(key)),
    headers(await grant(key), await attempt(key, { runId: 'r2' })),
    headers(await grant(key), await attempt(key), 'r2'),
    headers(await grant(key, { exp: past }), await attempt(key)),
    headers(await grant(key), await attempt(key, { exp: past })),
    headers(await grant(key), await attempt(key, { epoch: -1 })),
    headers('garbage', await attempt(key)),
  ]
  for (const [index, sent] of refused.entries()) {
    const answer = await invoke(sent)
    assert.deepEqual([answer.status, answer.body.error], [401, 'unauthenticated'], `case ${index}`)
  }
  assert.equal(launched.notes().filter((note) => note.startsWith('invoke')).length, 0)
  assert.equal((await invoke(headers(await grant(key), await attempt(key)))).status, 202)
  assert.equal((await fetch(`${launched.url}/runs/r1/events`)).status, 401)
  const attach = { headers: { 'x-mesh-run-attempt': await attempt(key) } }
  assert.equal((await readEvents(`${launched.url}/runs/r1/events`, attach)).at(-1)?.kind, 'run.succeeded')
})

test('authorizer: a worker with a lower epoch than the last one is refused', async (t) => {
  const key = newKey('k1')
  const state = await serveKeys(t, [key])
  const launched = await launch(t, { command: nodeAgent, signed: true, env: { STATE_URL: state.url } })
  await post(`${launched.url}/invoke`, { input: {} }, headers(await grant(key), await attempt(key, { epoch: 3 })))
  const ack = async (epoch: number) =>
    post(`${launched.url}/runs/r1/ack`, undefined, { 'x-mesh-run-attempt': await attempt(key, { epoch }) })
  await readEvents(`${launched.url}/runs/r1/events`, {
    headers: { 'x-mesh-run-attempt': await attempt(key, { epoch: 5 }) },
  })
  const stale = await ack(4)
  assert.deepEqual([stale.status, stale.body.error], [409, 'stale_epoch'])
  const again = await post(
    `${launched.url}/invoke`,
    { input: {} },
    headers(await grant(key), await attempt(key, { epoch: 3 })),
  )
  assert.equal(again.status, 409)
  assert.equal((await ack(5)).status, 204)
})

test('O6: a worker with a higher epoch disconnects readers with lower epochs at once', async (t) => {
  const key = newKey('k1')
  const state = await serveKeys(t, [key])
  const launched = await launch(t, {
    command: nodeAgent,
    signed: true,
    env: { STATE_URL: state.url, AGENT_CANCELS: 'true', MESH_AGENT_REVISION: '5' },
  })
  const { url } = launched
  const as = async (epoch: number) => ({ 'x-mesh-run-attempt': await attempt(key, { epoch }) })
  const invoked = await post(`${url}/invoke`, { input: { do: 'hang' } }, headers(await grant(key), await attempt(key)))
  assert.equal(invoked.body.agentRevision, 5)
  const old = await fetch(`${url}/runs/r1/events`, { headers: await as(1) })
  const reader = (old.body ?? assert.fail()).getReader()
  assert.equal((await reader.read()).done, false)
  const same = await fetch(`${url}/runs/r1`, { headers: await as(1) })
  assert.deepEqual(await same.json(), { runId: 'r1', agentRevision: 5, state: 'running' })
  const ticketFor = async (revision: string) =>
    fetch(`${url}/runs/r2/ticket`, {
      headers: {
        'x-mesh-run-attempt': await attempt(key, { epoch: 1, runId: 'r2' }),
        'x-mesh-agent-revision': revision,
      },
    })
  assert.equal((await ticketFor('5')).status, 200)
  for (const other of ['4', '05', 'x'.repeat(1000)]) {
    const refused = await ticketFor(other)
    assert.deepEqual([refused.status, ((await refused.json()) as { error: string }).error], [503, 'other_revision'])
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })()
  const newer = readEvents(`${url}/runs/r1/events`, { headers: await as(2) })
  await assert.rejects(drained, 'cut, without stream.end')
  assert.equal((await fetch(`${url}/runs/r1/events`, { headers: await as(1) })).status, 409)
  // Further calls of the same worker do not disconnect the reader of the current epoch.
  await post(`${url}/runs/r1/cancel`, undefined, await as(2))
  assert.equal((await newer).at(-1)?.kind, 'run.cancelled')
})

test('authorizer: keys are cached, a rotation is applied at once, an unreachable state role is 503 only without keys', async (t) => {
  const first = newKey('k1')
  const second = newKey('k2')
  const keys = [first]
  const state = await serveKeys(t, keys)
  const launched = await launch(t, { command: nodeAgent, signed: true, env: { STATE_URL: state.url } })
  const invoke = async (key: Key, runId: string) =>
    post(
      `${launched.url}/invoke`,
      { input: {} },
      headers(await grant(key, { runId }), await attempt(key, { runId }), runId),
    )
  const statuses = await Promise.all(Array.from({ length: 20 }, () => invoke(first, 'a')))
  assert.ok(statuses.every(({ status }) => status === 202 || status === 200))
  assert.equal(state.asked(), 1)
  keys.push(second)
  await readEvents(`${launched.url}/runs/a/events`, {
    headers: { 'x-mesh-run-attempt': await attempt(first, { runId: 'a' }) },
  })
  // The pause between two fetches is a second: wait for it by asking.
  let answer = await invoke(second, 'b')
  while (answer.status === 401) answer = await invoke(second, 'b')
  assert.equal(answer.status, 202)
  assert.ok(state.asked() <= 3, `asked ${state.asked()} times`)
  state.server.closeAllConnections()
  state.server.close()
  await readEvents(`${launched.url}/runs/b/events`, {
    headers: { 'x-mesh-run-attempt': await attempt(second, { runId: 'b' }) },
  })
  assert.equal((await invoke(first, 'c')).status, 202)

  const alone = await launch(t, { command: nodeAgent, signed: true, env: { STATE_URL: 'http://127.0.0.1:1' } })
  const lost = await post(`${alone.url}/invoke`, { input: {} }, headers(await grant(first), await attempt(first)))
  assert.deepEqual([lost.status, lost.body.error], [503, 'keys_unavailable'])
})

test('a candidate takes no run that does not name its revision', async (t) => {
  const key = newKey('k1')
  const state = await serveKeys(t, [key])
  const variables = { STATE_URL: state.url, MESH_AGENT_REVISION: '5', MESH_AGENT_CANDIDATE: 'true' }
  const { url } = await launch(t, { command: nodeAgent, signed: true, env: variables })
  const named = (revision: string | undefined) => (revision === undefined ? {} : { 'x-mesh-agent-revision': revision })
  const signed = async () => headers(await grant(key), await attempt(key))
  for (const revision of [undefined, '', '4', '05', '5, 5', '-5']) {
    const refused = await post(`${url}/invoke`, { input: {} }, { ...(await signed()), ...named(revision) })
    assert.deepEqual([refused.status, refused.body.error], [503, 'other_revision'], String(revision))
    const authorization = { 'x-mesh-run-attempt': await attempt(key) }
    const ticket = await fetch(`${url}/runs/r1/ticket`, { headers: { ...authorization, ...named(revision) } })
    assert.equal(ticket.status, 503, String(revision))
  }
  const taken = await post(`${url}/invoke`, { input: {} }, { ...(await signed()), ...named('5') })
  assert.deepEqual([taken.status, taken.body.agentRevision], [202, 5])
})
