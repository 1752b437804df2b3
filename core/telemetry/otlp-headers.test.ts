import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { parseOtlpHeaders } from './otlp-headers.ts'

test('OTLP: headers are percent-decoded pairs, with lower-case names and optional white space', () => {
  assert.deepEqual(parseOtlpHeaders(undefined), {})
  assert.deepEqual(parseOtlpHeaders(' '), {})
  assert.deepEqual(parseOtlpHeaders('api-key=secret'), { 'api-key': 'secret' })
  assert.deepEqual(parseOtlpHeaders(' Authorization = Basic%20YTpi== , x-scope=a%2Cb%3Dc,'), {
    authorization: 'Basic YTpi==',
    'x-scope': 'a,b=c',
  })
  assert.deepEqual(parseOtlpHeaders('authorization=Bearer a b'), { authorization: 'Bearer a b' })
  const odd = parseOtlpHeaders('__proto__=a')
  assert.deepEqual(Object.entries(odd), [['__proto__', 'a']])
})

test('OTLP: a wrong pair is refused by variable and number, without its value', () => {
  const secret = 'a-secret-value'
  for (const [text, problem] of [
    [`a=1,${secret}`, /pair 2 has no "="/],
    [`=${secret}`, /pair 1 has a name/],
    [`a b=${secret}`, /pair 1 has a name/],
    [`a%0d%0ab=${secret}`, /pair 1 has a name/],
    [`é=${secret}`, /pair 1 has a name/],
    [`x=${secret}%0d%0aHost: evil`, /pair 1 has an empty value, or one with/],
    [`x=${secret}\0`, /pair 1 has an empty value, or one with/],
    [`x=${secret}%00`, /pair 1 has an empty value, or one with/],
    [`x=${secret}é`, /pair 1 has an empty value, or one with/],
    ['x=', /pair 1 has an empty value/],
    [`x=${secret}%`, /pair 1 is not percent-encoded/],
    [`x=${secret}%ff`, /pair 1 is not percent-encoded/],
    [`x=${secret}\ud800`, /pair 1 has an empty value, or one with/],
    [`x=1,X=${secret}`, /pair 2 repeats/],
    [`Content-Type=${secret}`, /pair 1 sets content-type/],
    [`transfer-encoding=${secret}`, /pair 1 sets transfer-encoding/],
    [`x=${secret.repeat(1000)}`, /longer than 8192/],
  ] as const)
    assert.throws(
      () => parseOtlpHeaders(text),
      ({ message }: Error) => {
        assert.match(message, problem)
        assert.match(message, /^OTEL_EXPORTER_OTLP_HEADERS: /)
        assert.doesNotMatch(message, /a-secret|evil/)
        return true
      },
      text.slice(0, 40),
    )
})

test('OTLP: any text is parsed to headers that HTTP accepts, or refused by name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      try {
        for (const pair of Object.entries(parseOtlpHeaders(text))) assert.ok(new Headers([pair]))
      } catch (error) {
        assert.match(String(error), /^Error: OTEL_EXPORTER_OTLP_HEADERS: /)
      }
    }),
  )
})
