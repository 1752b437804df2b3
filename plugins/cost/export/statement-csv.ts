import { toCsv } from '#schemas/values/csv.ts'
import type { ExportLine } from './line.ts'

const columns = [
  'day',
  'tenant',
  'namespace',
  'agent',
  'agentUid',
  'provider',
  'model',
  'operation',
  'calls',
  'unpricedCalls',
  'pendingCalls',
  'inputTokens',
  'outputTokens',
  'cachedTokens',
  'reasoningTokens',
  'cost',
  'currency',
  'price',
  'subject',
] as const

/** Lines as CSV with the platform's own columns. An unknown cost is empty. Pure. */
export function toStatementCsv(lines: readonly ExportLine[]): string {
  return toCsv(
    columns,
    lines.map(({ sums: { calls, unpriced, pending, input, output, cached, reasoning }, ...line }) => ({
      ...line,
      calls,
      unpricedCalls: unpriced,
      pendingCalls: pending,
      inputTokens: input,
      outputTokens: output,
      cachedTokens: cached,
      reasoningTokens: reasoning,
    })),
  )
}

/** An invented statement of one line, for the API's documents. */
export function statementExample(): string {
  return toStatementCsv([
    {
      day: '2026-11-20',
      tenant: 'acme',
      namespace: 'default',
      namespaceUid: '0f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a',
      agent: null,
      agentUid: null,
      subject: 'ada',
      provider: 'default/demo',
      model: 'mock',
      operation: 'chat/completions',
      cost: '0.004200',
      currency: 'USD',
      price: 'table@2026-11-20',
      sums: {
        calls: '2',
        unpriced: '0',
        pending: '0',
        input: '42',
        output: '18',
        cached: '0',
        reasoning: '0',
        micros: {},
      },
    },
  ])
}
