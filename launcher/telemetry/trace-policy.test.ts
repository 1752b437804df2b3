import assert from 'node:assert/strict'
import test from 'node:test'
import { randomBytes } from 'node:crypto'
import type { OtlpSpan } from '#core/otlp/span.ts'
import { ConfigError } from '../contract/settings/agent-config.ts'
import { createTraceFilter } from './trace-policy.ts'
import { parseTraceSettings } from './trace-settings.ts'

const defaults = { store: true, capture: 'metadata', redact: [], sampleRate: 1 }
const filterOf = (policy: object) => createTraceFilter(parseTraceSettings({ ...defaults, ...policy }))

const attributes = {
  'gen_ai.request.model': 'gpt-x',
  'gen_ai.input.messages': 'write to eve@example.com',
  'gen_ai.usage.input_tokens': 7,
  'http.request.method': 'POST',
  'url.full': 'https://example.com/?q=secret',
  'db.query.text': 'select 1',
  'app.note': 'call CUST-123456',
  flag: true,
  list: ['eve@example.com', 1],
}
const span: OtlpSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: undefined,
  name: 'chat eve@example.com',
  kind: 'client',
  startedAt: 1n,
  endedAt: 2n,
  status: 'error',
  statusMessage: 'no answer for eve@example.com',
  attributes,
  events: [{ name: 'exception', at: 1n, attributes: { 'exception.type': 'Oops', 'exception.message': 'secret' } }],
  links: [],
  dropped: 0,
}

test('traces: metadata keeps names, numbers and known names of models, never content', () => {
  const { span: apply, origin } = filterOf({})
  const kept = apply(span)
  assert.deepEqual(kept?.attributes, {
    'gen_ai.request.model': 'gpt-x',
    'gen_ai.usage.input_tokens': 7,
    'http.request.method': 'POST',
    flag: true,
  })
  assert.deepEqual([kept?.name, kept?.statusMessage], [span.name, undefined])
  assert.deepEqual(kept?.events[0]?.attributes, { 'exception.type': 'Oops' })
  const resource = { 'service.name': 'py', 'process.command_line': 'python --key secret' }
  assert.deepEqual(origin({ resource, scope: 'lib' }), { resource: { 'service.name': 'py' }, scope: 'lib' })
})

test('traces: full keeps all but what is redacted, in names, messages, values and events', () => {
  const kept = filterOf({ capture: 'full', redact: ['email', 'CUST-[0-9]{6}', '(?i)SECRET'] }).span(span)
  assert.deepEqual([kept?.name, kept?.statusMessage], ['chat [redacted]', 'no answer for [redacted]'])
  assert.deepEqual(kept?.attributes, {
    ...attributes,
    'gen_ai.input.messages': 'write to [redacted]',
    'url.full': 'https://example.com/?q=[redacted]',
    'app.note': 'call [redacted]',
    list: ['[redacted]', 1],
  })
  assert.equal(kept?.events[0]?.attributes['exception.message'], '[redacted]')
  assert.equal(filterOf({ redact: ['email'] }).span(span)?.name, 'chat [redacted]', 'also of metadata')
})

test('traces: none keeps nothing; a rate keeps a share of the traces, each of them as a whole', () => {
  assert.equal(filterOf({ capture: 'none' }).span(span), undefined)
  assert.equal(filterOf({ sampleRate: 0 }).span(span), undefined)
  const filters = [filterOf({ sampleRate: 0.25 }), filterOf({ sampleRate: 0.25 })]
  let kept = 0
  for (let made = 0; made < 4000; made++) {
    const one = { ...span, traceId: randomBytes(16).toString('hex') }
    const [first, second] = filters.map((filter) => filter.span(one) !== undefined)
    assert.equal(first, second)
    if (first === true) kept++
  }
  // 1000 are expected, with a standard deviation of 27.
  assert.ok(kept > 780 && kept < 1220, `${kept}`)
})

test('traces: wrong settings of the policy are refused by name', () => {
  assert.deepEqual(parseTraceSettings(undefined).capture, 'metadata')
  for (const [given, message] of [
    [[], '/plugins/traces: must be an object'],
    [{ ...defaults, store: 1 }, '/plugins/traces/store: must be true or false'],
    [{ ...defaults, capture: 'all' }, '/plugins/traces/capture: must be full, metadata or none'],
    [{ ...defaults, sampleRate: Number.NaN }, '/plugins/traces/sampleRate: must be a number from 0 to 1'],
    [{ ...defaults, redact: 'email' }, '/plugins/traces/redact: must be a list of strings'],
    [{ ...defaults, redact: ['('] }, /^\/plugins\/traces\/redact: is not a valid RE2 regular expression/],
  ] as const)
    assert.throws(
      () => parseTraceSettings(given),
      (error) =>
        error instanceof ConfigError &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
    )
})

test('R2-N8: a span keeps no credential: by the last label of a name, in names, in nested values and in bytes', () => {
  const key = 'sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2'
  const kept = filterOf({ capture: 'full' }).span({
    ...span,
    attributes: {
      'http.request.header.authorization': ['Basic dXNlcjpwYXNz'],
      'http.request.header.cookie': 'a=b',
      'app.password': 'swordfish',
      'db.user_password': 1234,
      'vendor.api_key': { value: 'abc' },
      'x.apiKey': 'abc',
      nested: { password: 'swordfish', list: [{ token: 'abc', note: key }] },
      [key]: 'x',
      bytes: Buffer.from(`key=${key}`).toString('base64'),
      'gen_ai.usage.input_tokens': 7,
      'app.secret': true,
      digest: Buffer.from('no secret at all in here').toString('base64'),
    },
    events: [{ name: 'e', at: 1n, attributes: { 'set-cookie': 'a=b' } }],
  })
  assert.deepEqual(kept?.attributes, {
    'http.request.header.authorization': '[redacted]',
    'http.request.header.cookie': '[redacted]',
    'app.password': '[redacted]',
    'db.user_password': '[redacted]',
    'vendor.api_key': '[redacted]',
    'x.apiKey': '[redacted]',
    nested: { password: '[redacted]', list: [{ token: '[redacted]', note: '[redacted]' }] },
    '[redacted]': 'x',
    bytes: Buffer.from('key=[redacted]').toString('base64'),
    'gen_ai.usage.input_tokens': 7,
    'app.secret': true,
    digest: Buffer.from('no secret at all in here').toString('base64'),
  })
  assert.deepEqual(kept.events[0]?.attributes, { 'set-cookie': '[redacted]' })
  const metadata = filterOf({}).span({ ...span, attributes: { 'mesh.password': 'swordfish', [`mesh.${key}`]: 'x' } })
  assert.deepEqual(metadata?.attributes, { 'mesh.password': '[redacted]', 'mesh.[redacted]': 'x' })
})
