import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import test from 'node:test'
import { verifyGuardProof, createGuardProof } from './proof.ts'

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
  const kindOf = async (given: string, some: Partial<typeof expected> = {}) =>
    (await verifyGuardProof(given, { ...expected, ...some })).kind
  assert.deepEqual(await verifyGuardProof(token, expected), { kind: 'valid', approved: [] })
  assert.equal(await kindOf(token, { agentUid: 'b' }), 'forged')
  assert.equal(await kindOf(token, { digest: 'd2' }), 'stale')
  assert.equal(await kindOf(token, { publicKeys: [previous.pem] }), 'forged')
  const forged = await createGuardProof({ privateKey: other.privateKey, agentUid: 'a', now })('d1')
  assert.equal(await kindOf(forged), 'forged')
  for (const bad of ['', 'true', '..', `${token}x`, token.replace('.', ''), '\u0000', 'a'.repeat(9_000)])
    assert.equal(await kindOf(bad), 'forged')
  assert.equal(await prove('d1'), token, 'a proof is reused')
  assert.notEqual(await prove('d2'), token)
  const approved = await prove('d1', ['shop/p r0 request'])
  assert.deepEqual(await verifyGuardProof(approved, expected), { kind: 'valid', approved: ['shop/p r0 request'] })
  time += 61_000
  assert.equal(await kindOf(token), 'stale')
  assert.equal(await kindOf(await prove('d1')), 'valid')
})
