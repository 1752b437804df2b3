import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { McpTables } from '../../contract/tables.ts'
import { openGrants } from '../../testing/grants-world.ts'
import { startHostileServer, tokensOf } from '../../testing/hostile-server.ts'
import type { HostileResponse, HostileServer } from '../../testing/hostile-server.ts'
import { startProtectedServer } from '../../testing/protected-server.ts'
import { createGrantTokens } from '../tokens/grant-tokens.ts'

type Metadata = Parameters<typeof startHostileServer>[1]

type World = Awaited<ReturnType<typeof openGrants>>

/** A server behind a hostile one, in a world of its own or in that of other servers, of which it replaces the last. */
async function setUp(t: TestContext, metadata?: Metadata, given?: World) {
  const at = await startHostileServer(t, metadata)
  const server = await startProtectedServer(t, at)
  const world = given ?? (await openGrants(t))
  world.addServer('tickets', { url: server.url, auth: { kind: 'oauth', clientId: 'known' } })
  const begin = () => world.ask('POST', '/grant', { server: 'tickets' })
  /** Begins, and ends with a result as a browser would bring it. */
  const consent = async (result: object = {}) => {
    const begun = await begin()
    assert.equal(begun.status, 201, begun.text)
    const state = new URL(String(begun.body['authorizationUrl'])).searchParams.get('state')
    return world.ask('POST', '/complete', { state, code: 'code-canary', iss: at.issuer, ...result })
  }
  const consents = () => world.services.store.reader<McpTables>().selectFrom('mcp_consents').select('subject').execute()
  const key = { subject: 'ada', serverUid: 'uid-tickets', url: server.url }
  return { ...world, at, begin, consent, consents, key, tokens: createGrantTokens(world.services) }
}

/** Counts the requests of the address that a server redirects to. */
async function startTarget(t: TestContext): Promise<HostileServer> {
  return startHostileServer(t)
}

const tokenRequests = ({ requests }: HostileServer): number =>
  requests.filter((one) => one.startsWith('/token ')).length

const lies: readonly (readonly [string, (target: string) => Metadata, RegExp])[] = [
  ['another issuer', () => ({ fields: { issuer: 'https://auth.example.com' } }), /names another issuer than itself/],
  ['an issuer below itself', () => ({ fields: { issuer: 'http://127.0.0.1/x' } }), /names another issuer than itself/],
  ['no PKCE', () => ({ fields: { code_challenge_methods_supported: ['plain'] } }), /does not support PKCE with S256/],
  ['no code flow', () => ({ fields: { response_types_supported: ['token'] } }), /does not support the code flow/],
  ['no token endpoint', () => ({ fields: { token_endpoint: 7 } }), /no token endpoint/],
  [
    'a private token endpoint',
    () => ({ fields: { token_endpoint: 'http://169.254.169.254/t' } }),
    /169\.254\.169\.254/,
  ],
  ['a private registration', () => ({ fields: { registration_endpoint: 'http://10.0.0.1/r' } }), /10\.0\.0\.1/],
  ['an endpoint of no web', () => ({ fields: { authorization_endpoint: 'javascript:alert(1)' } }), /./],
  ['a redirect', (target) => ({ response: { redirect: `${target}/.well-known/x` } }), /as its metadata \(HTTP 307\)/],
  ['a list', () => ({ response: { json: [] } }), /no JSON object/],
  ['half a document', () => ({ response: { raw: '{"issuer":' } }), /no JSON object/],
  ['a huge document', () => ({ response: { raw: `{"a":"${'x'.repeat(300_000)}"}` } }), /./],
]

test('M-1: an authorization server whose metadata lies begins no consent', async (t) => {
  const target = await startTarget(t)
  const world = await openGrants(t)
  for (const [name, metadata, message] of lies) {
    const { begin, consents, lines } = await setUp(t, metadata(target.issuer), world)
    const { status, body } = await begin()
    assert.deepEqual([status, body['code']], [502, 'authorization_server_unusable'], name)
    assert.match(String(body['detail']), message, name)
    assert.deepEqual([await consents(), lines.some((line) => line.includes('consent begun'))], [[], false], name)
  }
  assert.deepEqual(target.requests, [], 'no redirect is followed')
})

test('M-1: a result of another issuer, or of none, is refused before its code is sent anywhere', async (t) => {
  const { at, consent, consents, rows } = await setUp(t)
  for (const iss of ['https://auth.example.com', `${at.issuer}/`, '', undefined]) {
    const { status, body } = await consent({ iss })
    assert.deepEqual([status, body['code']], [502, 'authorization_server_unusable'], String(iss))
    assert.match(String(body['detail']), /not of the authorization server that was asked/)
  }
  const denied = await consent({ code: undefined, error: 'evil\u001b[31m <b>text</b>' })
  assert.deepEqual([denied.status, denied.body['code']], [422, 'consent_denied'])
  assert.ok(!denied.text.includes('evil'))
  assert.deepEqual([tokenRequests(at), await rows(), await consents()], [0, [], []])
})

test('M-1, M-5: a token response that fails a check stores nothing, and names no text of the server', async (t) => {
  const target = await startTarget(t)
  const { at, consent, rows, lines, tokens, key } = await setUp(t)
  const responses: readonly (readonly [HostileResponse, RegExp])[] = [
    [{ redirect: `${target.issuer}/token` }, /does not respond as an authorization server/],
    [{ json: tokensOf('ada', { token_type: 'mac' }) }, /./],
    [{ json: tokensOf('ada', { access_token: 'a\nx-admin: canary' }) }, /no bearer token/],
    [{ json: tokensOf('ada', { access_token: '' }) }, /./],
    [{ json: tokensOf('ada', { refresh_token: 'r\u0000' }) }, /no bearer token/],
    [{ json: { token_type: 'bearer' } }, /does not respond as an authorization server/],
    [{ json: { error: 'invalid_grant', error_description: 'canary' }, status: 400 }, /no token \(invalid_grant\)/],
    [{ json: { error: 'Canary\u202e' }, status: 400 }, /no token\.$/],
    [{ json: tokensOf('ada'), status: 500 }, /does not respond as an authorization server/],
    [{ raw: `"${'x'.repeat(200_000)}"` }, /./],
  ]
  for (const [response, message] of responses) {
    at.respond(response)
    const { status, body, text } = await consent()
    assert.deepEqual([status, body['code']], [502, 'authorization_server_unusable'], text)
    assert.match(String(body['detail']), message)
    assert.ok(!/canary/i.test(text), text)
  }
  assert.deepEqual([await rows(), target.requests], [[], []])
  assert.equal(await tokens.find(key), undefined)
  assert.ok(!/canary/i.test(lines.join('\n')))
})

test('M-1: an expired state takes nothing, and its code is not sent', async (t) => {
  const { at, begin, ask, rows, services } = await setUp(t)
  const begun = await begin()
  const state = new URL(String(begun.body['authorizationUrl'])).searchParams.get('state')
  await services.store.transact((tx) =>
    tx
      .tables<McpTables>()
      .updateTable('mcp_consents')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .execute(),
  )
  const { status, body } = await ask('POST', '/complete', { state, code: 'code-canary', iss: at.issuer })
  assert.deepEqual([status, body['code']], [409, 'consent_invalid'])
  assert.deepEqual([tokenRequests(at), await rows()], [0, []])
})

test('M-1: a server that never responds ends the request at its deadline, and stores nothing', async (t) => {
  const mute = await setUp(t, { response: 'silent' })
  const late = await setUp(t)
  late.at.respond('silent')
  const startedAt = performance.now()
  const answers = await Promise.all([mute.begin(), late.consent()])
  for (const { status, body, text } of answers)
    assert.deepEqual([status, body['code']], [502, 'authorization_server_unusable'], text)
  assert.ok(performance.now() - startedAt < 45_000)
  assert.deepEqual([await mute.consents(), await late.rows(), await late.consents()], [[], [], []])
})

test('M-1, M-5: a refresh that returns another account, or fails for good, ends the grant and stores no token', async (t) => {
  const world = await openGrants(t)
  const second = { json: tokensOf('eve') }
  for (const response of [second, { json: { error: 'invalid_grant' }, status: 400 }] as const) {
    const { at, consent, rows, tokens, key } = await setUp(t, undefined, world)
    const stored = async () => (await rows()).find(({ url }) => url === key.url)
    at.respond({ json: tokensOf('ada') }, response)
    assert.equal((await consent()).status, 200)
    const before = await stored()
    assert.equal(await tokens.find(key), undefined)
    const after = await stored()
    assert.deepEqual([after?.is_usable, after?.sealed, after?.version], [false, before?.sealed, before?.version])
    assert.equal(await tokens.find(key), undefined)
    assert.equal(tokenRequests(at), 2, 'it is not asked again')
  }
})

test('M-5: a fault of the server during a refresh is an error of the call; the grant stays', async (t) => {
  const { at, consent, rows, tokens, key } = await setUp(t)
  at.respond({ json: tokensOf('ada') }, { json: {}, status: 500 }, { json: tokensOf('ada') })
  assert.equal((await consent()).status, 200)
  await assert.rejects(tokens.find(key), { name: 'TokensRefused', isFinal: false })
  assert.deepEqual(
    (await rows()).map((row) => [row.is_usable, row.version, row.refreshing_until]),
    [[true, 1, null]],
  )
  assert.notEqual(await tokens.find(key), undefined)
})
