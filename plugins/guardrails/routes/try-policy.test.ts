import assert from 'node:assert/strict'
import test from 'node:test'
import type { GuardrailPolicyObject, GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { API_VERSION } from '#schemas/names/group.ts'
import { guardrailKind } from '../kinds.ts'
import { MOST_MS, tryPolicy } from './try-policy.ts'
import type { TrialRequest } from './try-policy.ts'

const policyOf = (rules: readonly GuardrailRule[]): GuardrailPolicyObject => ({
  apiVersion: API_VERSION,
  kind: 'GuardrailPolicy',
  metadata: { namespace: 'shop', name: 'staff', uid: 'u', generation: 1 },
  spec: { rules: [...rules] },
})
const limits = (now: () => number = () => 0) => ({ now, signal: new AbortController().signal })
const { rules } = (guardrailKind.sample as GuardrailPolicyObject).spec
const staff = policyOf(rules)
const trial = (stage: TrialRequest['stage'], body: unknown, policy = staff) =>
  tryPolicy(policy, { stage, body }, limits())

test('a trial masks, in the form of the body, and names the rules that hit', async () => {
  const body = { model: 'mock', messages: [{ role: 'user', content: 'Write to ann@example.com.' }] }
  const { decision, by, hits, skipped, body: passed } = await trial('request', body)
  assert.deepEqual([decision, by], ['pass', null])
  assert.deepEqual(hits, [{ rule: 'contacts', check: 'pii', action: 'mask', count: 1 }])
  assert.deepEqual(skipped, [{ rule: 'toxic', check: 'http', action: 'block' }], 'a trial calls no service')
  assert.deepEqual(passed, { model: 'mock', messages: [{ role: 'user', content: 'Write to [contact].' }] })
  assert.equal((await trial('request', 'ann@example.com, EMP-123456')).body, '[contact], EMP-123456')
  const call = { name: 'send', arguments: { to: 'ann@example.com', n: 1 } }
  assert.deepEqual((await trial('tool_call', call)).body, { name: 'send', arguments: { to: '[contact]', n: 1 } })
  const json = { name: 'send', arguments: '{"to":"ann@example.com"}' }
  assert.deepEqual((await trial('tool_call', json)).body, { name: 'send', arguments: '{"to":"[contact]"}' })
})

test('a trial that stops names the rule, and returns no body', async () => {
  const stopped = async (...given: Parameters<typeof trial>) => {
    const { decision, by, body } = await trial(...given)
    assert.equal(body, null)
    return [decision, by]
  }
  assert.deepEqual(await stopped('request', 'sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2'), ['block', 'keys'])
  assert.deepEqual(await stopped('request', { model: 'gpt-x', messages: [] }), ['block', 'cheap'])
  assert.deepEqual(await stopped('response', 'no JSON'), ['block', 'form'])
  assert.equal((await trial('response', '{"answer":1}')).decision, 'pass')
  const call = { name: 'send', arguments: { about: 'Project Apollo' } }
  assert.deepEqual(await stopped('tool_call', call), ['require_approval', 'merger'])
})

test('a trial ends at its time: a large pattern on a large body', async () => {
  const slow = policyOf([{ name: 'slow', action: 'block', regex: { patterns: ['(?:a|aa|a.a){0,400}b'] } }])
  let reads = 0
  // The clock passes the limit at its fifth reading.
  const now = (): number => (reads++ < 5 ? 0 : MOST_MS + 1)
  await assert.rejects(tryPolicy(slow, { stage: 'response', body: 'a'.repeat(200_000) }, limits(now)), {
    message: /took more than 2000 ms/,
  })
  const gone = { now: () => 0, signal: AbortSignal.abort(new Error('gone')) }
  await assert.rejects(tryPolicy(slow, { stage: 'response', body: 'a'.repeat(200_000) }, gone), /gone/)
})

test('a trial refuses a body of another form, and reads hostile ones', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as object
  for (const [stage, body, pointer] of [
    ['request', 7, '/body'],
    ['request', null, '/body'],
    ['request', { input: [1, 2] }, '/body'],
    ['response', { text: 'x' }, '/body'],
    ['tool_call', { arguments: {} }, '/body/name'],
    ['tool_call', { name: 'x' }, '/body/arguments'],
    ['tool_call', { name: 'x', arguments: '{' }, '/body'],
    ['tool_call', { name: 'x', arguments: { deep } }, '/body'],
  ] as const)
    await assert.rejects(trial(stage, body), (error: { code?: string; errors?: readonly { pointer: string }[] }) => {
      assert.equal(error.code, 'invalid_body')
      assert.equal(error.errors?.[0]?.pointer, pointer, JSON.stringify(body))
      return true
    })
  const hostile = 'a\0b \ud800 ann@example.com'
  assert.equal((await trial('request', hostile)).body, 'a\0b \ud800 [contact]')
  assert.equal((await trial('tool_call', { name: 'x', arguments: { n: 1e308 } })).decision, 'pass')
  const broken = policyOf([{ name: 'r', action: 'block', regex: { patterns: ['('] } }])
  await assert.rejects(trial('request', 'x', broken), { code: 'guardrail_unavailable', message: /shop\/staff/ })
})
