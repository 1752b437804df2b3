import assert from 'node:assert/strict'
import test from 'node:test'
import { previewRuleOf, unrestricted } from './preview-rule.ts'
import { MAX_PREVIEW, toPreview } from './to-preview.ts'

const show = (value: unknown, redact: readonly string[] = []) => toPreview(value, { redact })

test('a preview is one line of at most 120 characters, never half of one', async () => {
  assert.equal(await show('  My name\n\n is\tAda. '), 'My name is Ada.')
  assert.equal(await show({ text: 'hi', n: 1 }), '{"text":"hi","n":1}')
  assert.deepEqual([await show(0), await show(false), await show([]), await show('')], ['0', 'false', '[]', ''])
  assert.deepEqual([await show(null), await show(undefined)], [null, null])
  assert.equal(await show('x'.repeat(MAX_PREVIEW)), 'x'.repeat(MAX_PREVIEW))
  assert.equal(await show('x'.repeat(MAX_PREVIEW + 1)), `${'x'.repeat(MAX_PREVIEW - 1)}…`)
  for (let before = 110; before < 122; before++) {
    const line = (await show('x'.repeat(before) + '😀'.repeat(20_000))) ?? ''
    assert.ok(line.isWellFormed() && Array.from(line).length === MAX_PREVIEW, line)
  }
})

test('hostile values have storable previews in bounded time', async () => {
  const deep = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => [inner], 'x')
  const values = ['a\0b\ud800c', '\u202Eevil\u2066', '\u001b[31mred', { ['\ud800\0']: '\udfff' }, deep(5_000), 1e308]
  const large = [Array.from({ length: 200_000 }, (_, n) => ({ [`k${n}`]: n })), ['x'.repeat(5e6)]]
  for (const value of [...values, ...large]) {
    const line = await show(value)
    assert.ok(line !== null && line.isWellFormed(), String(line))
    assert.ok(Array.from(line).length <= MAX_PREVIEW, line)
    assert.doesNotMatch(line, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  }
})

test('a preview has no secrets and nothing that the policy redacts, also where the text is cut', async () => {
  const token = `sk-ant-${'a'.repeat(40)}`
  assert.equal(await show(`use ${token} now`), 'use [redacted] now')
  assert.equal(await show({ password: 'hunter2', to: 'x' }), '{"password":"[redacted]","to":"x"}')
  assert.equal(await show('ada@example.com and CUST-123', ['email', 'CUST-[0-9]{3}']), '[redacted] and [redacted]')
  const key = (lines: number) => `-----BEGIN PRIVATE KEY-----\n${'MIIE'.repeat(16 * lines)}\n-----END PRIVATE KEY-----`
  for (const lines of [1, 60, 120, 130, 300]) assert.doesNotMatch((await show(key(lines))) ?? '', /MIIE/, `${lines}`)
  // A match that is cut at the end of what is read, behind one that is replaced by less.
  for (let at = 8_160; at < 8_192; at++) {
    const line = await show(`sk-ant-${'a'.repeat(at - 7)} CUST-123456789 and more`, ['CUST-[0-9]{9}'])
    assert.doesNotMatch(line ?? '', /CUST/, `${at}`)
  }
})

test('the trace policy decides as for shares; what is unknown or cannot be applied hides', async () => {
  const rules: readonly [object | null, string | null][] = [
    [{}, 'hi ada@example.com'],
    [{ tracePolicy: { capture: 'full' } }, 'hi ada@example.com'],
    [{ tracePolicy: { capture: 'full', redact: ['email'] } }, 'hi [redacted]'],
    [{ tracePolicy: { capture: 'metadata' } }, null],
    [{ tracePolicy: { capture: 'none' } }, null],
    [{ tracePolicy: {} }, null],
    [{ tracePolicy: null }, null],
    [{ tracePolicy: { capture: 'full', redact: ['('] } }, null],
    [{ tracePolicy: { capture: 'full', redact: 'email' } }, null],
    [null, null],
  ]
  for (const [spec, expected] of rules)
    assert.equal(
      await toPreview('hi ada@example.com', previewRuleOf(spec as Parameters<typeof previewRuleOf>[0])),
      expected,
      JSON.stringify(spec),
    )
  assert.deepEqual(previewRuleOf({}), unrestricted)
})
