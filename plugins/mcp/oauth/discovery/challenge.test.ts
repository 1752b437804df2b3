import assert from 'node:assert/strict'
import test from 'node:test'
import { readChallenge, toScopes } from './challenge.ts'

const nothing = { resourceMetadata: undefined, scopes: undefined, error: undefined }

test('RFC 9728, 5.1: the parameters of a Bearer challenge are read, quoted or not, in any case and order', () => {
  const address = 'https://mcp.example/.well-known/oauth-protected-resource'
  assert.deepEqual(readChallenge(`Bearer error="invalid_token", Resource_Metadata="${address}", scope="a b a"`), {
    resourceMetadata: address,
    scopes: ['a', 'b'],
    error: 'invalid_token',
  })
  assert.equal(readChallenge(`Basic realm="x", Bearer resource_metadata=${address}`).resourceMetadata, address)
})

test('what is no Bearer challenge, or too long, has no parameters', () => {
  for (const header of [
    undefined,
    '',
    'Basic scope="a"',
    'Bearer',
    'Bearer x_scope="a"',
    `Bearer scope="${'a'.repeat(2049)}"`,
  ])
    assert.deepEqual(readChallenge(header), nothing, String(header))
  assert.deepEqual(toScopes('a "b" \u0000 \u{1f680} c'), ['a', 'c'])
  assert.equal(toScopes(Array.from({ length: 99 }, (_, n) => `s${n}`).join(' ')).length, 50)
})
