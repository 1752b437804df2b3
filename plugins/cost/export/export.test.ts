import assert from 'node:assert/strict'
import test from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { toCsv } from '#schemas/values/csv.ts'
import { toFocusCsv } from './focus.ts'
import { exportKeys, toLine } from './line.ts'
import { toStatementCsv } from './statement-csv.ts'

const group = (some: Readonly<Record<string, string>> = {}, micros: Record<string, string> = { USD: '1500000' }) => {
  const keys: Readonly<Record<string, string>> = {
    day: '2024-02-29',
    namespace: 'team-a',
    namespace_uid: 'ns-1',
    agent: 'robot',
    agent_uid: 'a-1',
    provider: 'team-a/up',
    model: 'm-1',
    operation: 'chat/completions',
    currency: 'USD',
    price: 'route@3',
    ...some,
  }
  return {
    keys: exportKeys.map((key) => keys[String(key)] ?? ''),
    calls: '3',
    unpriced: '0',
    pending: '0',
    input: '9007199254740993',
    output: '7',
    cached: '2',
    reasoning: '1',
    micros,
  }
}
const tenants = new Map([['team-a', 'gold']])
const unpriced = { ...group({ currency: '', price: '', model: '=HYPERLINK("x"),"y"' }, {}), unpriced: '3' }
const read = (csv: string) => parse<Record<string, string>>(csv, { columns: true })

test('CSV is read back as it was, whatever the cells hold, and none begins a formula', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('=1+1', '+1', '-1', '@x', '\t=1', '\r', '"', 'a,b', '\n'),
  )
  fc.assert(
    fc.property(fc.array(fc.record({ a: cell, b: cell }), { minLength: 1 }), (rows) => {
      const found = parse<Record<string, string>>(toCsv(['a', 'b'], rows), { columns: true, record_delimiter: '\r\n' })
      assert.equal(found.length, rows.length)
      for (const [index, row] of rows.entries())
        for (const name of ['a', 'b'] as const) {
          const text = found[index]?.[name] ?? ''
          assert.equal(/^[=+@\t\r-]/.test(text), false)
          assert.ok(text === row[name] || text === `'${row[name]}`)
        }
    }),
  )
})

test('an export has decimal amounts, and nothing where a cost is unknown', () => {
  const [paid, unknown] = read(toStatementCsv([group(), unpriced].map((one) => toLine(one, tenants))))
  assert.deepEqual(
    [paid?.['tenant'], paid?.['cost'], paid?.['currency'], paid?.['inputTokens'], paid?.['price']],
    ['gold', '1.5', 'USD', '9007199254740993', 'route@3'],
  )
  assert.deepEqual(
    [unknown?.['cost'], unknown?.['currency'], unknown?.['unpricedCalls'], unknown?.['model']],
    ['', '', '3', `'=HYPERLINK("x"),"y"`],
  )
})

test('FOCUS: periods have exclusive ends, costs are equal, and an unknown one is empty', () => {
  const people = group({ agent: '', agent_uid: '', subject: '=cmd()', namespace: 'other' })
  const lines = [group(), unpriced, people].map((one) => toLine(one, tenants))
  const [paid, unknown, person] = read(toFocusCsv(lines, 'prod'))
  assert.ok(paid !== undefined && unknown !== undefined && person !== undefined)
  const shown = Object.fromEntries(Object.entries(paid).filter(([, value]) => value !== ''))
  assert.deepEqual(shown, {
    BilledCost: '1.5',
    BillingAccountId: 'prod',
    BillingAccountName: 'prod',
    BillingCurrency: 'USD',
    BillingPeriodEnd: '2024-03-01T00:00:00Z',
    BillingPeriodStart: '2024-02-01T00:00:00Z',
    ChargeCategory: 'Usage',
    ChargeDescription: 'chat/completions with m-1',
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: '2024-03-01T00:00:00Z',
    ChargePeriodStart: '2024-02-29T00:00:00Z',
    ConsumedQuantity: '9007199254741000',
    ConsumedUnit: 'Tokens',
    ContractedCost: '1.5',
    EffectiveCost: '1.5',
    InvoiceIssuerName: 'team-a/up',
    ListCost: '1.5',
    PricingCategory: 'Standard',
    PricingQuantity: '9007199254741000',
    PricingUnit: 'Tokens',
    ProviderName: 'team-a/up',
    PublisherName: 'team-a/up',
    ResourceId: 'a-1',
    ResourceName: 'robot',
    ResourceType: 'Agent',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: 'm-1',
    SkuId: 'm-1',
    SkuPriceId: 'route@3',
    SubAccountId: 'ns-1',
    SubAccountName: 'team-a',
    Tags: '{"tenant":"gold"}',
    x_CachedTokens: '2',
    x_Calls: '3',
    x_InputTokens: '9007199254740993',
    x_Operation: 'chat/completions',
    x_OutputTokens: '7',
    x_PendingCalls: '0',
    x_ReasoningTokens: '1',
    x_UnpricedCalls: '0',
  })
  for (const column of ['BilledCost', 'EffectiveCost', 'PricingQuantity', 'SkuPriceId'])
    assert.equal(unknown[column], '')
  assert.equal(unknown['x_UnpricedCalls'], '3')
  assert.deepEqual([person['ResourceType'], person['ResourceId'], person['Tags']], ['', '', '{}'])
  assert.equal(person['x_Subject'], "'=cmd()", 'R2-N4: who called')
  const [called] = read(toStatementCsv([toLine(people, tenants)]))
  assert.deepEqual([called?.['subject'], called?.['agent'], called?.['cost']], ["'=cmd()", '', '1.5'])
})

test('R2-N13: a cell that a spreadsheet would evaluate is guarded, in each form of its sign, and no other is', () => {
  const cellOf = (text: string) =>
    toCsv(['a'], [{ a: text }])
      .split('\r\n')
      .slice(1, -1)
      .join('\r\n')
  const signs = [
    '=',
    '+',
    '-',
    '@',
    '\uFF1D',
    '\uFF0B',
    '\uFF0D',
    '\uFF20',
    '\uFE66',
    '\uFE62',
    '\uFE63',
    '\uFE6B',
    '\u2212',
    '\u207C',
  ]
  for (const sign of signs)
    for (const before of ['', ' ', '\u3000', '\u200b', '\ufeff', '\n'])
      assert.match(cellOf(`${before}${sign}1+1`), /^"?'/, JSON.stringify(before + sign))
  for (const text of ['\tx', '\rx', '\nx']) assert.match(cellOf(text), /^"?'/)
  for (const text of ['a=b', 'x-1', '1', '\u4e00=1', ' a', '\uD83D\uDE00=']) assert.equal(cellOf(text), text)
})
