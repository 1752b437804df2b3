import assert from 'node:assert/strict'
import test from 'node:test'
import { createOutbound } from '#core/http-client/outbound.ts'
import { listenRaw } from '../../testing/mcp-server.ts'
import { registerClient } from './register-client.ts'

const REDIRECT = 'http://127.0.0.1:8080/oauth/callback'

test('RFC 7591: a secret without an end does not end; one with an end ends; what is no registration is refused', async (t) => {
  let given: unknown
  const url = await listenRaw(t, (_, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(given))
  })
  const outbound = createOutbound({ allow: ['127.0.0.1'] })
  t.after(() => outbound.close())
  const { origin } = new URL(url)
  const server = { issuer: origin, registration_endpoint: url }
  const register = (body: unknown) => {
    given = body
    return registerClient(outbound, server, REDIRECT)
  }
  const secret = { client_id: 'a', client_secret: 's', token_endpoint_auth_method: 'client_secret_basic' }
  const client = { id: 'a', secret: 's', method: 'client_secret_basic' }
  assert.deepEqual(await register(secret), { client, expiresAt: null })
  assert.deepEqual(await register({ ...secret, client_secret_expires_at: 0 }), { client, expiresAt: null })
  const ended = { client, expiresAt: new Date(4_000_000_000_000) }
  assert.deepEqual(await register({ ...secret, client_secret_expires_at: 4_000_000_000 }), ended)
  for (const body of [
    { ...secret, client_secret_expires_at: 'soon' },
    { ...secret, client_secret: 7 },
    {},
    [],
    null,
    'a',
  ])
    await assert.rejects(register(body), { code: 'authorization_server_unusable' }, JSON.stringify(body))
})
