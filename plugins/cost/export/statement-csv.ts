import { toCsv } from './csv.ts'
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

/** Lines as CSV with our own columns. An unknown cost is empty. Pure. */
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
