import type { Charge, SettledCost } from '#launcher/contract/calls/payment.ts'

/** Headers with the cost of a call and the remaining budget; the cost is known once the call is settled. */
export function moneyHeaders({ hold }: Charge, settled?: SettledCost): Record<string, string> {
  const remaining = settled?.remaining ?? hold?.remaining
  const { cost } = settled ?? {}
  return {
    ...(cost === undefined ? {} : { 'x-mesh-cost': `${cost.amount} ${cost.currency}` }),
    ...(remaining === undefined ? {} : { 'x-mesh-budget-remaining': remaining }),
  }
}

/** The same values as a comment at the end of a stream, which parsers ignore: most SDKs do not expose trailers. */
export function moneyComment(charge: Charge, settled: SettledCost | undefined): Buffer {
  const entries = settled === undefined ? [] : Object.entries(moneyHeaders(charge, settled))
  return Buffer.from(
    entries.length === 0 ? '' : `${entries.map(([name, value]) => `: ${name}: ${value}\n`).join('')}\n`,
  )
}
