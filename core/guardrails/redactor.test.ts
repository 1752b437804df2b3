import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { PolicyProblem } from './detectors/policy-problem.ts'
import { conceal } from '#core/log/secrets.ts'
import { createRedactor } from './redactor.ts'

const secret = `ghp_${'a1B2'.repeat(9)}`

test('S3: secrets are removed from every text, name of a field and number of a value', async () => {
  const redactor = createRedactor(['email', 'credit_card', 'ORD-[0-9]{4}'])
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
  const redactor = createRedactor([])
  assert.equal(await redactor.value(`${secret} a@b.example`), '[redacted] a@b.example')
})

test('F5: deep and odd values are redacted as others', async () => {
  const redactor = createRedactor(['email'])
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
      () => createRedactor(names),
      (error: unknown) => error instanceof PolicyProblem && error.pointer === pointer && !/canary/.test(error.message),
    )
})

test('F2: one MiB of text is redacted in linear time, and the event loop turns meanwhile', async () => {
  const redactor = createRedactor(['email', 'phone', 'credit_card', 'ip_address'])
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await redactor.value('1234 5678 a@b 1.2.3.4 +49 30 1234 '.repeat(30_000))
  clearInterval(timer)
  assert.ok(turns > 0)
})

const secrets = [
  `AKIA${'A2'.repeat(8)}`,
  `sk-ant-${'a1'.repeat(10)}`,
  `sk-${'a1'.repeat(10)}`,
  secret,
  `github_pat_${'a1'.repeat(11)}`,
  `glpat-${'a1'.repeat(10)}`,
  `AIza${'a'.repeat(35)}`,
  `eyJhbGciOi${'a'.repeat(20)}`,
  `npm_${'a1'.repeat(18)}`,
  `xoxb-${'1'.repeat(10)}`,
  `sk_live_${'a1'.repeat(8)}`,
  '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
]

test('secrets of every shape are removed from a text at once, as from a value, with and without names', async () => {
  for (const one of secrets)
    for (const names of [[], ['email']])
      for (const text of [`a ${one} b`, `\u200ba ${one.slice(0, 5)}\u200b${one.slice(5)} b`]) {
        const redactor = createRedactor(names)
        assert.doesNotMatch(redactor.text(text), /[a1]{6}|abc|(?:A2){3}|a1B2/, text)
        assert.match(redactor.text(text), /\[redacted\]/, text)
        assert.equal(await redactor.value(text), redactor.text(text))
      }
  for (const plain of ['', 'a', 'sk-', 'a plain sentence about tokens', '\u200b'])
    assert.equal(createRedactor([]).text(plain), plain)
})

test('F2: both ways remove the same, also of texts that are longer than a block and of matches that overlap', async () => {
  const redactor = createRedactor(['email', '[a-z]+@', 'b{3,9}', 'example'])
  assert.equal(redactor.text('to ann@b.example'), 'to [redacted]')
  const word = fc.constantFrom(
    'ann@b.example',
    'bbbbb',
    ` ${secret} `,
    ' ',
    'plain ',
    'x'.repeat(300),
    '\u00e9',
    '@',
    '-----BEGIN ',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 30 }), async (words) => {
      const text = words.join('')
      const clean = redactor.text(text)
      assert.equal(await redactor.value(text), clean)
      assert.doesNotMatch(clean, /ann@|bbb|example|ghp_/)
    }),
  )
})

test('with its shape kept, a value loses secrets, credentials by the name of their field, and nothing else', async () => {
  const concealed = conceal('concealed-canary-of-this-process')
  const redactor = createRedactor(['email'], { keepShape: true })
  const value = {
    'a@b.example': 4111111111111111,
    password: 'short',
    token: 7,
    headers: [{ Authorization: 'Basic eA==', accept: 'a@b.example' }],
    text: `${secret} ${concealed}`,
  }
  assert.deepEqual(await redactor.value(value), {
    'a@b.example': 4111111111111111,
    password: '[redacted]',
    token: 7,
    headers: [{ Authorization: '[redacted]', accept: '[redacted]' }],
    text: '[redacted] [redacted]',
  })
  assert.deepEqual(await createRedactor([]).value({ password: 'short' }), { password: '[redacted]' })
})
