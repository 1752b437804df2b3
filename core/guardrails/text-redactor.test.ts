import assert from 'node:assert/strict'
import test from 'node:test'
import { PolicyProblem } from './detectors/policy-problem.ts'
import { createTextRedactor } from './text-redactor.ts'

const secret = `ghp_${'a1B2'.repeat(9)}`

test('S3: secrets are removed from every text, name of a field and number of a value', async () => {
  const redactor = createTextRedactor(['email', 'credit_card', 'ORD-[0-9]{4}'])
  const value = {
    text: `Key ${secret}, mail a@b.example, order ORD-1234.`,
    card: 4111111111111111,
    count: 3,
    'c@d.example': [null, true, 'plain', { deep: ['ORD-9999', ''] }],
  }
  assert.deepEqual(await redactor.value(value), {
    text: 'Key [redacted], mail [redacted], order [redacted].',
    card: '[redacted]',
    count: 3,
    '[redacted]': [null, true, 'plain', { deep: ['[redacted]', ''] }],
  })
  assert.deepEqual(value.count, 3, 'the given value is unchanged')
  for (const plain of ['x', 7, null, false, [], {}]) assert.deepEqual(await redactor.value(plain), plain)
})

test('S3: without names secrets are removed, and personal data stays', async () => {
  const redactor = createTextRedactor([])
  assert.equal(await redactor.value(`${secret} a@b.example`), '[redacted] a@b.example')
})

test('F5: deep and odd values are redacted as others', async () => {
  const redactor = createTextRedactor(['email'])
  const own = JSON.parse('{"__proto__":{"mail":"a@b.example"},"toString":"a@b.example"}') as unknown
  assert.equal(JSON.stringify(await redactor.value(own)), '{"__proto__":{"mail":"[redacted]"},"toString":"[redacted]"}')
  let deep: unknown = 'a@b.example'
  for (let level = 0; level < 5_000; level++) deep = [deep]
  assert.doesNotMatch(JSON.stringify(await redactor.value(deep)), /example/)
})

test('X2: a pattern that cannot be applied is named by its place, and not repeated', () => {
  for (const [names, pointer] of [
    [['(canary'], '/0'],
    [['email', 'phone', 'fine', 'canary{1000}{1000}'], '/3'],
    [['', 'email'], '/0'],
    [['email', '^canary$'], '/1'],
  ] as const)
    assert.throws(
      () => createTextRedactor(names),
      (error: unknown) => error instanceof PolicyProblem && error.pointer === pointer && !/canary/.test(error.message),
    )
})

test('F2: one MiB of text is redacted in linear time, and the event loop turns meanwhile', async () => {
  const redactor = createTextRedactor(['email', 'phone', 'credit_card', 'ip_address'])
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await redactor.value('1234 5678 a@b 1.2.3.4 +49 30 1234 '.repeat(30_000))
  clearInterval(timer)
  assert.ok(turns > 0)
})
