import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { createWithSession } from '../client/session.ts'
import { createRunTokens } from '../oauth/tokens/run-tokens.ts'
import { startAuthorizationServer } from '../testing/authorization-server.ts'
import { openGrants } from '../testing/grants-world.ts'
import { startProtectedServer } from '../testing/protected-server.ts'
import { withCredential } from './call-credential.ts'

const noSecrets = {
  get: async () => {
    throw new Error('a server with grants has no Secret')
  },
}

async function setUp(t: TestContext) {
  const at = await startAuthorizationServer(t)
  const server = await startProtectedServer(t, at)
  const world = await openGrants(t)
  const spec = { url: server.url, auth: { kind: 'oauth' as const } }
  world.addServer('tickets', spec)
  const run = { state: 'running', subject: 'ada', agentUid: 'agent' }
  const subjectOf = async (id: string) => (id === 'run' ? run : undefined) as never
  const runTokens = createRunTokens(world.services, { subjectOf })
  const dispatcher = createOutbound({ allow: ['127.0.0.1'] }).open({ connections: 8 })
  t.after(() => dispatcher.destroy())
  const withSession = createWithSession({ dispatcher, version: '1', maxBytes: 1024 * 1024, maxRequests: 32 })
  const object = { metadata: { namespace: 'default', name: 'tickets', uid: 'uid-tickets' }, spec } as McpServerObject
  const whole = { agent: { uid: 'agent' }, runId: 'run' as string | undefined, server: object }
  /** Calls the tool as the state role does; `first` runs before each request. */
  const call = (more: Partial<typeof whole> = {}, first: () => Promise<void> = async () => undefined) =>
    withCredential({ cluster: noSecrets, runTokens }, { ...whole, ...more }, async (credential) => {
      await first()
      const target = { url: server.url, ...credential, deadlineMs: 20_000 }
      return withSession(target, (client) => client.callTool({ name: 'echo', arguments: { n: 1 } }))
    })
  const consent = async (more: object = {}): Promise<void> => {
    const begun = await world.ask('POST', '/grant', { server: 'tickets', ...more })
    const callback = await signInAtIssuer(String(begun.body['authorizationUrl']))
    const done = await world.ask('POST', '/complete', Object.fromEntries(callback.searchParams))
    assert.equal(done.status, 200, done.text)
  }
  await consent()
  const refreshes = (): number => at.requests.filter((path) => path === '/token').length - 1
  return { ...world, at, server, run, call, consent, refreshes }
}

const required = { code: 'tool_auth_required' }

test('M-7: a refused token is refreshed once for any number of calls, each of which is sent once more and runs once', async (t) => {
  const { server, call, refreshes } = await setUp(t)
  assert.deepEqual((await call()).content, [{ type: 'text', text: '{"n":1}' }])
  server.refuseSeen()
  await call()
  assert.deepEqual([refreshes(), server.calls.length], [1, 2])
  server.refuseSeen()
  await Promise.all(Array.from({ length: 10 }, () => call()))
  assert.deepEqual([refreshes(), server.calls.length], [2, 12])
})

test('M-1: a server that refuses the refreshed token, too, ends the grant: no token is sent again until the next consent', async (t) => {
  const { server, rows, call, consent, refreshes, events } = await setUp(t)
  server.refuseAll()
  await assert.rejects(call(), required)
  assert.equal(refreshes(), 1)
  const sent = server.bearers.length
  await assert.rejects(call(), required)
  assert.deepEqual([server.bearers.length, refreshes(), server.calls], [sent, 1, []])
  assert.deepEqual(
    (await rows()).map((row) => row.is_usable),
    [false],
  )
  await consent()
  assert.deepEqual(
    (await rows()).map((row) => row.is_usable),
    [true],
  )
  assert.equal((await events()).length, 2)
})

test('M-5: a call without a running run of its agent, or without a grant, is refused and never sent without a token', async (t) => {
  const { server, call, run } = await setUp(t)
  await assert.rejects(call({ runId: undefined }), required)
  await assert.rejects(call({ runId: 'another' }), required)
  await assert.rejects(call({ agent: { uid: 'another' } }), required)
  run.state = 'succeeded'
  await assert.rejects(call(), required)
  Object.assign(run, { state: 'running', subject: 'bob' })
  await assert.rejects(call(), required)
  // Only the requests that discovered the authorization server had none.
  assert.deepEqual([...new Set(server.bearers)], [undefined])
  const anonymous = server.bearers.length
  run.subject = 'ada'
  await call()
  server.refuseAll()
  await assert.rejects(call(), required)
  assert.ok(server.bearers.slice(anonymous).every((one) => one?.startsWith('Bearer ') === true))
})

test('M-4: a grant that is revoked during a call is not refreshed, and nothing of it comes back', async (t) => {
  const { at, server, ask, rows, call, refreshes } = await setUp(t)
  let isRevoked = false
  const revokeOnce = async (): Promise<void> => {
    if (isRevoked) return
    isRevoked = true
    assert.equal((await ask('DELETE', '/grant/tickets')).status, 204)
  }
  await assert.rejects(call({}, revokeOnce), required)
  assert.deepEqual([refreshes(), server.calls, await rows()], [0, [], []])
  assert.equal(at.requests.filter((path) => path === '/token/revocation').length, 2)
  await assert.rejects(call(), required)
})

test('M-4: tokens that a server issues while their grant is revoked are revoked, too', async (t) => {
  const { at, server, ask, rows, call } = await setUp(t)
  await call()
  server.refuseSeen()
  at.beforeTokens(async () => {
    assert.equal((await ask('DELETE', '/grant/tickets')).status, 204)
  })
  const accounts = server.accounts.length
  await assert.rejects(call(), required)
  assert.deepEqual([await rows(), server.accounts.length], [[], accounts])
})

test('M-1: a scope that a server misses is part of the next consent; until then calls that need it wait, and others go on', async (t) => {
  const { server, call, consent, rows } = await setUp(t)
  server.require('tickets.write')
  await assert.rejects(call(), { ...required, message: /has not consented to the scopes/ })
  await assert.rejects(call(), required)
  const stored = async () => {
    const [row] = await rows()
    return { usable: row?.is_usable, wanted: row?.wanted_scopes, scopes: row?.scopes }
  }
  assert.deepEqual(await stored(), { usable: true, wanted: ['tickets.write'], scopes: ['tickets.read'] })
  server.require('tickets.read')
  await call()
  server.require('tickets.write')
  await consent()
  await call()
  assert.deepEqual(await stored(), { usable: true, wanted: null, scopes: ['tickets.read', 'tickets.write'] })
  assert.equal(server.calls.length, 2)
})

test('M-1: a consent during a call is used at once, and a scope that no server grants ends each call after two requests', async (t) => {
  const { server, call, consent, rows } = await setUp(t)
  server.require('tickets.write')
  let isAsked = false
  await call({}, async () => {
    if (isAsked) return
    isAsked = true
    await consent({ scopes: ['tickets.read', 'tickets.write'] })
  })
  assert.equal(server.calls.length, 1)
  server.require('admin')
  await assert.rejects(call(), required)
  await consent()
  const sent = server.bearers.length
  await assert.rejects(call(), required)
  assert.equal(server.bearers.length, sent + 1)
  assert.deepEqual((await rows())[0]?.wanted_scopes, ['admin'])
})

test('M-1: a server that asks for no scope, for granted ones or for what is no scope gets a failed call, and no consent', async (t) => {
  const { server, call, rows } = await setUp(t)
  for (const asked of ['', 'tickets.read', 'x'.repeat(300), `a\\b ${'y'.repeat(5_000)}`]) {
    server.require('tickets.write', asked)
    await assert.rejects(call(), { name: 'McpFailure', reason: 'unauthorized', status: 403 }, asked)
  }
  assert.deepEqual((await rows())[0]?.wanted_scopes, null)
})
