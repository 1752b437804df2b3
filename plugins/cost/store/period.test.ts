import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { addDays, daysOf, endOfMonth, parsePeriod } from './period.ts'

const now = new Date('2026-11-23T23:59:59.999Z')

test('a period is the month until today, or as given', () => {
  assert.deepEqual(parsePeriod({}, now), { from: '2026-11-01', to: '2026-11-23' })
  assert.deepEqual(parsePeriod({ to: '2024-02-29' }, now), { from: '2024-02-01', to: '2024-02-29' })
  assert.deepEqual(parsePeriod({ from: '2026-11-23' }, now), { from: '2026-11-23', to: '2026-11-23' })
  assert.equal(daysOf({ from: '2024-02-28', to: '2024-03-01' }), 3)
  assert.equal(addDays('2026-12-31', 1), '2027-01-01')
  assert.deepEqual(['2024-02-01', '2026-12-31'].map(endOfMonth), ['2024-02-29', '2026-12-31'])
})

test('K7: a bad day, an empty and a huge period are a 400 that names the field', () => {
  const refused = (query: Parameters<typeof parsePeriod>[0], pointer: string) =>
    assert.throws(
      () => parsePeriod(query, now),
      (error: { code?: string; errors?: readonly { pointer: string }[] }) =>
        error.code === 'invalid_query' && error.errors?.[0]?.pointer === pointer,
      JSON.stringify(query),
    )
  const bad = [
    '',
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '26-01-01',
    '2026-01-01T00:00:00Z',
    '+012026-01-01',
    '0000-00-00',
  ]
  for (const day of [...bad, '1969-12-31', '٢٠٢٦-01-01', '2026-01-01\n', '2147483648']) {
    refused({ from: day }, '?from')
    refused({ to: day }, '?to')
  }
  refused({ from: '2026-11-24' }, '?to')
  refused({ from: '1970-01-01' }, '?from')
  refused({ to: '9999-12-31', from: '2026-01-01' }, '?from')
  assert.equal(daysOf(parsePeriod({ from: '2025-10-20' }, now)), 400)
  refused({ from: '2025-10-19' }, '?from')
})

test('any text is a period or a 400', () => {
  const text = fc.oneof(
    fc.string(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  )
  fc.assert(
    fc.property(fc.option(text, { nil: undefined }), fc.option(text, { nil: undefined }), (from, to) => {
      try {
        const period = parsePeriod(
          { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
          now,
        )
        assert.ok(daysOf(period) >= 1 && daysOf(period) <= 400)
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'invalid_query', String(error))
      }
    }),
  )
})

test('a day that is a time is refused with the day to write', () => {
  assert.throws(() => parsePeriod({ from: '2026-11-24T08:00:00Z' }, new Date('2026-11-25')), {
    message: 'from must be a day as YYYY-MM-DD, from 1970-01-01 on; write 2026-11-24.',
  })
  assert.throws(() => parsePeriod({ from: '2026-02-30T08:00:00Z' }, new Date('2026-11-25')), {
    message: 'from must be a day as YYYY-MM-DD, from 1970-01-01 on.',
  })
})
