import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import test from 'node:test'
import { createGuardProof, isGuarded } from './proof.ts'

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privateKey, pem: publicKey.export({ type: 'spki', format: 'pem' }) }
}

test('guardrails: a proof holds for one agent, one set of policies and one minute', async () => {
  const [own, previous, other] = [pair(), pair(), pair()]
  let time = 1_000_000
  const now = () => new Date(time)
  const prove = createGuardProof({ privateKey: own.privateKey, agentUid: 'a', now })
  const token = await prove('d1')
  const publicKeys = [previous.pem, own.pem]
  const expected = { agentUid: 'a', digest: 'd1', publicKeys, now }
  assert.equal(await isGuarded(token, expected), true)
  assert.equal(await isGuarded(token, { ...expected, agentUid: 'b' }), false)
  assert.equal(await isGuarded(token, { ...expected, digest: 'd2' }), false)
  assert.equal(await isGuarded(token, { ...expected, publicKeys: [previous.pem] }), false)
  const forged = await createGuardProof({ privateKey: other.privateKey, agentUid: 'a', now })('d1')
  assert.equal(await isGuarded(forged, expected), false)
  for (const bad of ['', 'true', '..', `${token}x`, token.replace('.', ''), '\u0000', 'a'.repeat(9_000)])
    assert.equal(await isGuarded(bad, expected), false)
  assert.equal(await prove('d1'), token, 'a proof is reused')
  assert.notEqual(await prove('d2'), token)
  time += 61_000
  assert.equal(await isGuarded(token, expected), false)
  assert.equal(await isGuarded(await prove('d1'), expected), true)
})
