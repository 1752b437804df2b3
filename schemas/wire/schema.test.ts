import assert from 'node:assert/strict'
import test from 'node:test'
import { checkOf } from '#core/validation/validate.ts'
import { toTypebox } from '#core/http/endpoint/state-route.ts'
import { MalformedValue } from './malformed-value.ts'
import { readResponse } from './read-response.ts'
import { enumOf, flag, integer, list, nullable, number, object, optionalField, reply, string } from './schema.ts'
import { requestTarget, statePath } from './state-path.ts'

const item = object({
  name: string({ minLength: 1 }, (value) => (value === '' ? 'must not be empty' : undefined)),
  mode: enumOf('a', 'b'),
  count: integer(0, 10),
  ratio: number(0),
  on: flag,
  note: optionalField(nullable(string())),
  parts: list(integer(1, 3), { maxItems: 3 }),
})
const good = { name: 'x', mode: 'a', count: 3, ratio: 0.5, on: true, parts: [1, 2] }

test('parser and JSON Schema of a value take and refuse the same', () => {
  const check = checkOf(toTypebox(item))
  for (const value of [good, { ...good, note: null }, { ...good, note: 'n', parts: [] }]) {
    assert.deepEqual(item.parse(value, ''), value)
    assert.deepEqual(check(value), [])
  }
  const wrong: readonly [unknown, string][] = [
    [{ ...good, name: '' }, 'name'],
    [{ ...good, mode: 'c' }, 'mode'],
    [{ ...good, count: 11 }, 'count'],
    [{ ...good, count: 1.5 }, 'count'],
    [{ ...good, count: Infinity }, 'count'],
    [{ ...good, ratio: -1 }, 'ratio'],
    [{ ...good, ratio: '1' }, 'ratio'],
    [{ ...good, on: 'true' }, 'on'],
    [{ ...good, note: 7 }, 'note'],
    [{ ...good, parts: [1, 4] }, 'parts'],
    [{ ...good, parts: {} }, 'parts'],
    [{ ...good, ['\ud800']: 1 }, '\ud800'],
    [{ ...good, ['__proto__x']: 1 }, '__proto__x'],
  ]
  for (const [value, field] of wrong) {
    assert.throws(() => item.parse(value, ''), new RegExp(`^MalformedValue: ${field}`), field)
    assert.ok(check(value)[0]?.pointer.startsWith(`/${field}`), field)
  }
  for (const value of [null, [], 'x', 1]) assert.throws(() => item.parse(value, ''), MalformedValue)
})

const path = statePath({ method: 'GET', path: '/a/:id/b', status: 200, response: reply({ id: string() }) })
const received = (status: number, text: string) => ({ status, headers: {}, bytes: Buffer.from(text) })

test('a response is read in the form of its path; what a later version adds is dropped', () => {
  assert.deepEqual(readResponse(path, received(200, '{"id":"x","later":1}')).value, { id: 'x' })
  for (const text of ['', '{', 'null', '[]', '{}', '{"id":7}', '\0', '\ufeff'])
    assert.equal(readResponse(path, received(200, text)).value, undefined, text)
  assert.equal(readResponse(path, received(201, '{"id":"x"}')).value, undefined)
})

test('an error has the fields of problem+json, and none in another form', () => {
  const errors = [{ pointer: '/a', detail: 'is required', more: 1 }]
  const { problem, value } = readResponse(path, received(400, JSON.stringify({ code: 'c', title: 't', errors })))
  assert.deepEqual([problem.code, problem.errors, value], ['c', [{ pointer: '/a', detail: 'is required' }], undefined])
  for (const text of ['', '<html>', '{"code":7}', '{"errors":[null]}'])
    assert.deepEqual(readResponse(path, received(502, text)).problem, {}, text)
})

test('a parameter cannot leave its segment, and an absent query is left out', () => {
  assert.equal(requestTarget(path, { id: '../x?y#z\0' }), '/a/..%2Fx%3Fy%23z%00/b')
  assert.equal(requestTarget(path, { id: 'a' }, { wait: 3, run: undefined, q: 'a&b' }), '/a/a/b?wait=3&q=a%26b')
  assert.equal(requestTarget(path, { id: 'a' }, { run: undefined }), '/a/a/b')
  assert.equal(requestTarget(path, { id: '\ud800' }, { q: '\udc00 +' }), '/a/%EF%BF%BD/b?q=%EF%BF%BD%20%2B')
})
