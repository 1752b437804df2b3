import assert from 'node:assert/strict'
import test from 'node:test'
import { signJws } from '#core/signing/jws.ts'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import { verifyGuardProof, createGuardProof } from './proof.ts'

test('R2-N3, guardrails: a proof holds for one agent, one set of policies and one minute', async () => {
  let time = 1_000_000
  const now = () => new Date(time)
  const [{ issuer, launcherOf }, foreign] = [createTestIssuer(now), createTestIssuer(now)]
  const own = await launcherOf('a')
  const prover = (signer: typeof own) => createGuardProof({ signer: () => signer, agentUid: 'a', now })
  const prove = prover(own)
  const token = (await prove('d1')) ?? ''
  const expected = { agentUid: 'a', digest: 'd1', issuer }
  const kindOf = async (given = '', some: Partial<typeof expected> = {}) =>
    (await verifyGuardProof(given, { ...expected, ...some })).kind
  assert.deepEqual(await verifyGuardProof(token, expected), { kind: 'valid', approved: [] })
  assert.equal(await kindOf(token, { agentUid: 'b' }), 'forged')
  assert.equal(await kindOf(token, { digest: 'd2' }), 'stale')
  assert.equal(await kindOf(token, { issuer: foreign.issuer }), 'forged')
  const stranger = await launcherOf('b')
  assert.equal(await kindOf(await prover(stranger)('d1')), 'forged', 'a launcher of another agent')
  const borrowed = { ...stranger, certificate: own.certificate }
  assert.equal(await kindOf(await prover(borrowed)('d1')), 'forged', 'a certificate without its key')
  for (const bad of ['', 'true', '..', `${token}x`, token.replace('.', ''), '\u0000', 'a'.repeat(9_000)])
    assert.equal(await kindOf(bad), 'forged')
  assert.equal(await prove('d1'), token, 'a proof is reused')
  assert.notEqual(await prove('d2'), token)
  const approved = await prove('d1', ['shop/p r0 request'])
  assert.deepEqual(await verifyGuardProof(approved ?? '', expected), { kind: 'valid', approved: ['shop/p r0 request'] })
  time += 61_000
  assert.equal(await kindOf(token), 'stale')
  assert.equal(await kindOf(await prove('d1')), 'valid')
})

test('R2-N3, guardrails: without a valid certificate nothing is proved, and the rules are applied again', async () => {
  let time = 1_000_000
  const now = () => new Date(time)
  const { issuer, launcherOf } = createTestIssuer(now)
  const own = await launcherOf('a')
  const expected = { agentUid: 'a', digest: 'd1', issuer }
  assert.equal(await createGuardProof({ signer: () => undefined, agentUid: 'a', now })('d1'), undefined)
  const former = await signJws(own.key, { typ: 'guarded', iat: 1_000, exp: 1_060 })
  assert.equal((await verifyGuardProof(former, expected)).kind, 'stale', 'a launcher of a former version')
  time += 15 * 60_000
  const late = await createGuardProof({ signer: () => own, agentUid: 'a', now })('d1')
  assert.equal((await verifyGuardProof(late ?? '', expected)).kind, 'stale', 'the certificate has expired')
})
