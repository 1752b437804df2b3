import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { compileGuard } from './compile-guard.ts'
import type { ContentGuard, GuardOutcome, StreamOutcome } from './guard.ts'
import { fromErrorParam, refusalMessage, toDecided, toErrorParam } from './messages.ts'
import { PolicyProblem } from './detectors/policy-problem.ts'

const guardOf = (...rules: Omit<GuardrailRule, 'name'>[]): ContentGuard =>
  compileGuard([{ namespace: 'shop', name: 'p', rules: rules.map((rule, index) => ({ name: `r${index}`, ...rule })) }])
const mask = async (guard: ContentGuard, text: string): Promise<string | undefined> =>
  (await guard.texts('request', [text])).texts[0]

/** The sum of a stream that is cut into parts. */
function stream(
  guard: ContentGuard,
  parts: readonly string[],
): { text: string; decision: GuardOutcome['decision']; found: string[] } {
  const text = guard.stream()
  const counts = new Map<string, number>()
  let released = ''
  const take = (outcome: StreamOutcome): StreamOutcome => {
    released += outcome.release
    for (const { rule, count } of outcome.findings) counts.set(rule, (counts.get(rule) ?? 0) + count)
    return outcome
  }
  for (const part of parts) {
    const { decision } = take(text.push(part))
    if (decision !== 'pass') return { text: released, decision, found: [] }
  }
  const { decision } = take(text.end())
  return { text: released, decision, found: [...counts].map(([rule, count]) => `${rule}:${count}`).toSorted() }
}

const key = `sk-${'a1B2'.repeat(6)}`
const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(40)}-----END PRIVATE KEY-----`
const jwt = `eyJhbGciOiJFZERTQSJ9.${'eyJzdWIiOiJ4In0'.repeat(60)}.${'c2ln'.repeat(20)}`

test('guardrails: personal data is found by syntax and checksum, and nothing that only looks alike', async () => {
  const guard = guardOf({ action: 'mask', mask: '#', pii: {} })
  const found = {
    email: 'ann.lee+x@mail.example.co.uk',
    phone: '+49 (30) 1234-567',
    'phone of North America': '(415) 555-2671',
    card: '4111 1111 1111 1111',
    'card with dashes': '5500-0000-0000-0004',
    'card of 15 digits': '378282246310005',
    iban: 'DE89 3704 0044 0532 0130 00',
    'iban in lower case': 'gb82west12345698765432',
    ssn: '078-05-1120',
    ip: '10.20.30.40',
    ipv6: '2001:db8::ff00:42:8329',
    'full-width digits': '４１１１ １１１１ １１１１ １１１１',
    'digits with invisible characters': '4111\u200b 1111\u2060 1111 \u00ad1111',
    'digits of another script': '٤١١١ ١١١١ ١١١١ ١١١١',
  }
  for (const [what, value] of Object.entries(found)) assert.equal(await mask(guard, `a ${value}, b`), 'a #, b', what)
  const none = [
    '4111 1111 1111 1112',
    'GB82WEST12345698765433',
    '666-05-1120',
    '300.1.2.3',
    '12:30:45',
    'a@b',
    '+12',
    '9',
  ]
  for (const value of none) assert.equal(await mask(guard, `a ${value} b`), `a ${value} b`)
  // A number after other digits of the same line.
  assert.equal(await mask(guard, 'order 17 4111 1111 1111 1111 x'), 'order 17 # x')
})

test('guardrails: a secret is masked to its end, however long it is', async () => {
  const guard = guardOf({ action: 'mask', mask: '#', secrets: {} })
  const values = [key, jwt, pem, 'AKIAIOSFODNN7EXAMPLE', `ghp_${'a'.repeat(200)}`, `AIza${'x'.repeat(35)}`]
  for (const value of values) {
    assert.equal(await mask(guard, `x ${value} y`), 'x # y')
    assert.equal(stream(guard, [...`x ${value} y`]).text, 'x # y')
  }
  assert.equal(await mask(guard, `${pem}\n${pem} y`), '#\n# y')
  assert.equal(await mask(guard, 'task-force sk-1 eyJ0 AKIA'), 'task-force sk-1 eyJ0 AKIA')
  const random = guardOf({ action: 'mask', mask: '#', secrets: { kinds: ['high_entropy'] } })
  assert.equal(await mask(random, 'x q7Zk2Pw9LxT4vB8nR1sD6fG3hJ5kM0yU y'), 'x # y')
  assert.equal(await mask(random, `x ${'0123456789abcdef'.repeat(4)} y`), `x ${'0123456789abcdef'.repeat(4)} y`)
})

test('guardrails: words are whole and without case, patterns are of RE2', async () => {
  const words = guardOf({ action: 'mask', mask: '#', words: { phrases: ['Project Apollo', 'merger', '合併'] } })
  assert.equal(await mask(words, 'PROJECT  apollo, Merger; mergers, 会社合併です'), '#, #; mergers, 会社#です')
  const regex = guardOf({
    action: 'mask',
    mask: '#',
    regex: { patterns: ['emp-[0-9]{6}', '\\bx+y'], ignoreCase: true },
  })
  assert.equal(await mask(regex, 'EMP-123456 axy XXY'), '# axy #')
})

test('guardrails: models are allowed by pattern, and names without a namespace are routes of the policy', () => {
  const guard = guardOf({ action: 'block', models: { allow: ['cheap', 'shared/gpt-*'], deny: ['shared/gpt-9'] } })
  const decisions = ['shop/cheap', 'shared/gpt-5', 'shared/gpt-9', 'other/cheap', 'agent/shop/cheap'].map(
    (name) => guard.model(name).decision,
  )
  assert.deepEqual(decisions, ['pass', 'pass', 'block', 'block', 'block'])
})

test('guardrails: an answer with a schema is held until it is complete', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'integer', minimum: 1 } },
    additionalProperties: false,
  }
  const guard = guardOf({ action: 'block', outputSchema: schema })
  assert.equal(guard.stream().push('{"a": 1').release, '')
  assert.deepEqual(stream(guard, ['{"a"', ': 1}']), { text: '{"a": 1}', decision: 'pass', found: [] })
  for (const text of [
    '{"a": 0}',
    '{"a": 1, "b": 2}',
    '{}',
    'no JSON',
    '',
    '[',
    '['.repeat(60_000),
    `"${'x'.repeat(70_000)}"`,
  ])
    assert.equal(stream(guard, [text]).decision, 'block', text.slice(0, 20))
})

test('guardrails: block precedes approval, and an approval holds for one rule at one stage', async () => {
  const approval = { action: 'require_approval' as const, words: { phrases: ['apollo'] } }
  const other = { action: 'require_approval' as const, words: { phrases: ['hermes'] } }
  const guard = guardOf(approval, { action: 'block', words: { phrases: ['zeus'] } }, other)
  const approved = ({ rule, stage }: { rule: string; stage: string }): boolean => rule === 'r0' && stage === 'request'
  const decide = async (text: string, isApproved?: typeof approved): Promise<string | undefined> => {
    const { decision, by } = await guard.texts('request', [text], isApproved)
    return by === undefined ? decision : `${decision} ${by.rule}`
  }
  assert.equal(await decide('apollo zeus'), 'block r1')
  assert.equal(await decide('apollo'), 'require_approval r0')
  assert.equal(await decide('apollo', approved), 'pass')
  assert.equal(await decide('apollo zeus', approved), 'block r1')
  assert.equal(await decide('apollo hermes', approved), 'require_approval r2', 'another rule of the same text')
  assert.equal((await guard.texts('tool_call', ['apollo'], approved)).decision, 'require_approval', 'another stage')
  const text = guard.stream(({ rule }) => rule === 'r0')
  const parts = [text.push(`${'x '.repeat(200)}apollo ${'y '.repeat(200)}`), text.end()]
  assert.match(parts.map(({ release }) => release).join(''), /apollo (?:y )+$/)
})

test('guardrails: results of tools in a request are tool calls, for rules that do not see requests', async () => {
  const words = { phrases: ['apollo'] }
  const guard = guardOf({ action: 'block', stages: ['tool_call'], words }, { action: 'allow', words })
  assert.equal((await guard.texts('request', ['apollo'])).decision, 'pass')
  const { decision, by, findings } = await guard.results(['ok', 'apollo'])
  assert.deepEqual([decision, by?.rule, by?.stage, findings.length], ['block', 'r0', 'tool_call', 1])
})

test('guardrails: records have names and numbers only, and allow records without a change', async () => {
  const guard = guardOf({ action: 'allow', stages: ['request'], pii: { kinds: ['email'] } })
  const { findings, texts } = await guard.texts('request', ['a@b.com c@d.com', 'e@f.com'])
  assert.deepEqual(texts, ['a@b.com c@d.com', 'e@f.com'])
  assert.deepEqual(findings.map(toDecided), [
    { policy: 'shop/p', rule: 'r0', check: 'pii', stage: 'request', action: 'allow', count: 3 },
  ])
  assert.deepEqual([...guard.stages], ['request'])
  assert.deepEqual((await guard.texts('tool_call', ['a@b.com'])).findings, [])
  const blocked = await guardOf({ action: 'block', pii: {} }).texts('request', ['a@b.com'])
  assert.ok(blocked.by)
  assert.equal(refusalMessage(blocked.by), 'The rule r0 of the guardrail policy shop/p blocked the request.')
  assert.deepEqual(fromErrorParam(toErrorParam(blocked.by), 'block'), { ...blocked.by, count: 1 })
  const wrong = [
    null,
    '',
    'messages[0]',
    'shop/p:r0:pii',
    'shop/p:r0:pii:other',
    'shop/p:r0:x:request',
    '../p:r0:pii:request',
  ]
  for (const param of wrong) assert.equal(fromErrorParam(param, 'block'), undefined, String(param))
})

test('guardrails: a rule that cannot be applied is refused with its place, without its text', () => {
  const cases: readonly (readonly [Omit<GuardrailRule, 'name'>, string, RegExp])[] = [
    [{ action: 'block', regex: { patterns: ['ok', 'secret('] } }, '/rules/0/regex/patterns/1', /missing closing \)/],
    [
      { action: 'block', regex: { patterns: ['(?=x)'] } },
      '/rules/0/regex/patterns/0',
      /not a valid RE2 regular expression/,
    ],
    [
      { action: 'block', regex: { patterns: ['(a)\\1'] } },
      '/rules/0/regex/patterns/0',
      /not a valid RE2 regular expression/,
    ],
    [{ action: 'block', regex: { patterns: ['a*'] } }, '/rules/0/regex/patterns/0', /empty string/],
    [{ action: 'block', regex: { patterns: ['abc$'] } }, '/rules/0/regex/patterns/0', /must not contain/],
    [{ action: 'block', regex: { patterns: ['((a{100}){100}){100}'] } }, '/rules/0/regex/patterns/0', /RE2|too large/],
    [
      { action: 'block', outputSchema: { properties: { a: { pattern: 'x' } } } },
      '/rules/0/outputSchema/properties/a',
      /not supported/,
    ],
    [{ action: 'block', outputSchema: { type: 'text' } }, '/rules/0/outputSchema/type', /must be one or more of/],
  ]
  for (const [rule, pointer, message] of cases)
    assert.throws(
      () => guardOf(rule),
      (error) =>
        error instanceof PolicyProblem &&
        error.pointer === pointer &&
        message.test(error.message) &&
        !error.message.includes('secret('),
      JSON.stringify(rule),
    )
  // Each pattern alone is small enough.
  const large = {
    action: 'block' as const,
    regex: { patterns: Array.from({ length: 8 }, (_, nth) => `x{900}${nth}y{900}`) },
  }
  guardOf(large)
  assert.throws(() => guardOf(large, large), {
    pointer: '/rules/1/regex',
    detail: /combined patterns of the policy too large/,
  })
  guardOf({ action: 'block', regex: { patterns: ['[$^]', '\\$5', '\\Q^x$\\E', '[[:digit:]$]'] } })
})

// Fragments of everything that rules find, so that cuts fall into and between matches.
const fragments = [
  '4111 1111 ',
  '1111 1111',
  '４１１１',
  'ann@',
  'mail.example',
  '.com',
  key,
  pem.slice(0, 60),
  pem.slice(-60),
]
const others = [
  'apollo',
  ' project ',
  'emp-',
  '123456',
  jwt,
  '\0',
  '\uD83D',
  '\uDE00',
  '\u200b',
  ' ',
  '-',
  'a',
  '😀',
  'x'.repeat(300),
]
const texts = fc
  .array(fc.oneof(fc.constantFrom(...fragments, ...others), fc.string({ unit: 'binary' })), { maxLength: 40 })
  .map((parts) => parts.join(''))
const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 })

function cut(text: string, lengths: readonly number[]): string[] {
  const parts: string[] = []
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = lengths[index % lengths.length] ?? 1
    parts.push(text.slice(at, at + length))
    at += length
  }
  return parts
}

const everything: readonly Omit<GuardrailRule, 'name'>[] = [
  { action: 'mask', mask: '<pii>', pii: {} },
  { action: 'mask', mask: '<key>', secrets: {} },
  { action: 'mask', mask: '<re>', regex: { patterns: ['emp-[0-9]{3,9}', 'x+', '1 [0-9 ]+'], maxLength: 40 } },
  { action: 'allow', words: { phrases: ['apollo', 'project apollo'] } },
]

test('guardrails: a stream decides and releases the same as the whole text, wherever it is cut', async () => {
  const guard = guardOf(...everything)
  const stopping = guardOf(...everything.slice(0, 2), { action: 'block', words: { phrases: ['apollo'] } })
  await fc.assert(
    fc.asyncProperty(texts, cuts, async (text, lengths) => {
      const whole = stream(guard, [text])
      const parts = stream(guard, cut(text, lengths))
      assert.deepEqual(parts, whole)
      const { texts: released } = await guard.texts('response', [text])
      assert.equal(released[0], whole.text)
      const stopped = stream(stopping, cut(text, lengths))
      assert.equal(stopped.decision, stream(stopping, [text]).decision)
    }),
    { numRuns: 300 },
  )
})

/** The text with the masks of a stream that is cut into parts. */
function masked(guard: ContentGuard, parts: readonly string[]): string {
  const text = guard.masks()
  const masks = [...parts.map((part) => text.push(part)), text.end()].flatMap((outcome) => outcome.masks)
  const whole = parts.join('')
  let [result, at] = ['', 0]
  for (const { start, end, text: replacement } of masks) {
    assert.ok(start >= at && end >= start && end <= whole.length, `${start} to ${end} after ${at}`)
    result += whole.slice(at, start) + replacement
    at = end
  }
  return result + whole.slice(at)
}

test('guardrails: masks by offset are those of a released text, wherever it is cut', () => {
  const guard = guardOf(...everything)
  fc.assert(
    fc.property(texts, cuts, (text, lengths) => {
      assert.equal(masked(guard, cut(text, lengths)), stream(guard, [text]).text)
    }),
    { numRuns: 100 },
  )
})

test('guardrails: nothing of a match is released before it is decided', () => {
  const guard = guardOf({ action: 'block', regex: { patterns: ['begin.{0,40}end'] } }, { action: 'block', pii: {} })
  const values = ['begin of the secret end', '4111 1111 1111 1111', 'ann@example.com']
  fc.assert(
    fc.property(fc.constantFrom(...values), fc.integer({ min: 0, max: 700 }), cuts, (value, before, lengths) => {
      const text = `${'. '.repeat(before)}${value}${' .'.repeat(400)}`
      const { decision, text: released } = stream(guard, cut(text, lengths))
      assert.equal(decision, 'block')
      assert.equal(released, '. '.repeat(before).slice(0, released.length))
    }),
    { numRuns: 200 },
  )
})

test('guardrails: what is held back is bounded by the look-back', () => {
  const guard = guardOf(...everything)
  const text = guard.stream()
  let [given, released] = [0, 0]
  for (let index = 0; index < 3_000; index++) {
    given += 3
    released += text.push('ok ').release.length
    assert.ok(given - released <= guard.lookBack, `${given - released}`)
  }
})

test('F2: any text takes linear time, and leaves the event loop free', async () => {
  const guard = guardOf(...everything)
  const [small, large] = [1 << 14, 1 << 18]
  const hostile = [
    '4',
    '4 ',
    'a@',
    'a@a.',
    '+1',
    'ab:',
    'sk-',
    '-----BEGIN PRIVATE KEY-----',
    '\u200b４',
    'x',
    '\uD800',
    'emp-',
  ]
  const cpuOf = async (unit: string, length: number): Promise<number> => {
    const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
    const before = process.cpuUsage()
    await guard.texts('request', [text])
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  for (const unit of hostile) {
    const [few, many] = [await cpuOf(unit, small), await cpuOf(unit, large)]
    // 16 times the text: a quadratic scan would take 256 times as long.
    assert.ok(many < 64 * few + 300, `${JSON.stringify(unit)}: ${few} ms of CPU, then ${many}`)
  }
  let turns = 0
  const count = (): void => {
    turns++
    turn = setImmediate(count)
  }
  let turn = setImmediate(count)
  await guard.texts('request', ['The quick brown fox. '.repeat(50_000)])
  clearImmediate(turn)
  assert.ok(turns > 1, 'other work runs meanwhile')
})
