import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { time } from '#schemas/api/common.ts'
import { toProblemResponse } from '../problem/problem.ts'
import { queryReader } from './query.ts'

test('a time that is a day is refused with the time to write', () => {
  const read = queryReader(Type.Object({ since: Type.Optional(time) }))
  assert.deepEqual(read('/x?since=2026-11-24T00:00:00Z'), { since: '2026-11-24T00:00:00Z' })
  assert.throws(() => read('/x?since=2026-11-24'), {
    message: 'since must be an RFC 3339 time, such as 2026-11-24T00:00:00Z, not a day.',
  })
})

test('an error without a sentence is described by its first field', () => {
  const detailOf = (pointer: string): string | undefined =>
    toProblemResponse(new Fail('invalid_body', undefined, { errors: [{ pointer, detail: 'is required' }] })).problem
      .detail
  assert.deepEqual(['/spec/model/route', '?kind', ':name', 'Last-Event-ID', ''].map(detailOf), [
    'spec.model.route is required.',
    'kind is required.',
    'name is required.',
    'Last-Event-ID is required.',
    'The body is required.',
  ])
  const long = toProblemResponse(
    new Fail('invalid_body', undefined, { errors: [{ pointer: '/a', detail: 'x'.repeat(9_000) }] }),
  )
  assert.ok((long.problem.detail ?? '').length < 5_000)
})
