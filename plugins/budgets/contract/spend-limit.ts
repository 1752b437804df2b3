import type { SpendLimit, SpendWindow } from './points.ts'
import { parseMicros } from '#schemas/values/money.ts'

/** An amount in the format of specs: a decimal string, by default in USD per month. */
export interface WrittenAmount {
  readonly amount: string
  readonly currency?: string
  readonly window?: SpendWindow
}

/** Converts an amount of a spec to a limit. */
export function toSpendLimit({ amount, currency = 'USD', window = 'month' }: WrittenAmount): SpendLimit {
  return { amount: parseMicros(amount), currency, window }
}
