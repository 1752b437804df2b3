import { formatMicros } from '#schemas/values/money.ts'
import type { CostTotals } from '#schemas/api/cost.ts'
import type { GroupSums } from '../store/read-cost.ts'

/** Sums as shown in responses. An unknown cost is null or missing in the amount, never 0 (`complete` is false then). Pure. */
export function toTotals(sums: Omit<GroupSums, 'keys'>): CostTotals {
  const { calls, unpriced, pending, input, output, cached, reasoning, micros } = sums
  const isUnknown = BigInt(unpriced) + BigInt(pending) === BigInt(calls) && calls !== '0'
  const amounts = Object.entries(micros).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    calls: Number(calls),
    unpricedCalls: Number(unpriced),
    pendingCalls: Number(pending),
    complete: unpriced === '0' && pending === '0',
    inputTokens: Number(input),
    outputTokens: Number(output),
    cachedTokens: Number(cached),
    reasoningTokens: Number(reasoning),
    cost: isUnknown ? null : amounts.map(([currency, text]) => ({ amount: formatMicros(BigInt(text)), currency })),
  }
}

/** Adds sums of groups. Pure. */
export function addSums(groups: readonly Omit<GroupSums, 'keys'>[]): Omit<GroupSums, 'keys'> {
  const sum = (name: Exclude<keyof GroupSums, 'keys' | 'micros'>): string =>
    String(groups.reduce((total, group) => total + BigInt(group[name]), 0n))
  const micros = new Map<string, bigint>()
  for (const group of groups)
    for (const [currency, text] of Object.entries(group.micros))
      micros.set(currency, (micros.get(currency) ?? 0n) + BigInt(text))
  return {
    calls: sum('calls'),
    unpriced: sum('unpriced'),
    pending: sum('pending'),
    input: sum('input'),
    output: sum('output'),
    cached: sum('cached'),
    reasoning: sum('reasoning'),
    micros: Object.fromEntries([...micros].map(([currency, amount]) => [currency, String(amount)])),
  }
}
