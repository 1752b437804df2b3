import assert from 'node:assert/strict'
import test from 'node:test'
import { toProblemResponse } from '#core/http/problem/problem.ts'
import { defineErrors } from './define-errors.ts'
import type { ErrorSpec } from './define-errors.ts'
import { Fail } from './domain-error.ts'

const errors = defineErrors({
  too_cold: { status: 409, title: 'It is too cold.' },
  too_busy: { status: 503, title: 'It is too busy.', retryable: true },
})

test('an error of a plugin has its own status, title and detail in the response', () => {
  const { status, problem, headers } = toProblemResponse(new Fail(errors.too_cold, 'It has 3 degrees.'))
  assert.equal(status, 409)
  assert.deepEqual(problem, {
    type: 'urn:mesh:error:too_cold',
    title: 'It is too cold.',
    status: 409,
    detail: 'It has 3 degrees.',
    code: 'too_cold',
    retryable: false,
  })
  assert.deepEqual(headers, {})
  const busy = toProblemResponse(new Fail(errors.too_busy))
  assert.deepEqual([busy.problem.retryable, busy.headers], [true, { 'retry-after': '1' }])
})

test('an invalid error is refused where it is defined, naming its code', () => {
  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['TooCold', { status: 409, title: 'x' }, /^error TooCold: the code must be snake_case/],
    ['too__cold', { status: 409, title: 'x' }, /snake_case/],
    [`a${'b'.repeat(60)}`, { status: 409, title: 'x' }, /at most 60 characters/],
    ['a\u0000b', { status: 409, title: 'x' }, /snake_case/],
    ['a', { status: 200, title: 'x' }, /^error a: the status must be an integer from 400 to 599/],
    ['a', { status: 600, title: 'x' }, /status/],
    ['a', { status: 409.5, title: 'x' }, /status/],
    ['a', { status: '409', title: 'x' }, /status/],
    ['a', { status: 409, title: ' ' }, /^error a: the title must be a sentence/],
    ['a', { status: 409 }, /title/],
  ]
  for (const [code, spec, message] of refused)
    assert.throws(() => defineErrors({ [code]: spec as ErrorSpec }), { name: 'TypeError', message }, code)
})

test('a code that neither core nor a plugin defines is refused where it is raised', () => {
  for (const code of ['too_cold', 'constructor', '__proto__'])
    assert.throws(() => new Fail(code as 'not_found'), {
      name: 'TypeError',
      message: `${code} is not an error of core; declare it with defineErrors`,
    })
})
