import type { Charge, SettledCost } from '#launcher/contract/calls/payment.ts'

/** Headers with what a call has cost and what is left; the cost is known when it is settled. */
export function moneyHeaders({ hold }: Charge, settled?: SettledCost): Record<string, string> {
  const remaining = settled?.remaining ?? hold?.remaining
  const { cost } = settled ?? {}
  return {
    ...(cost === undefined ? {} : { 'x-mesh-cost': `${cost.amount} ${cost.currency}` }),
    ...(remaining === undefined ? {} : { 'x-mesh-budget-remaining': remaining }),
  }
}

/** The same at the end of a stream, as a comment, which parsers ignore: trailers do not reach the callers of most SDKs. */
export function moneyComment(charge: Charge, settled: SettledCost | undefined): Buffer {
  const entries = settled === undefined ? [] : Object.entries(moneyHeaders(charge, settled))
  return Buffer.from(
    entries.length === 0 ? '' : `${entries.map(([name, value]) => `: ${name}: ${value}\n`).join('')}\n`,
  )
}
