import type { SpendLimit, SpendWindow } from './points.ts'
import { parseMicros } from '#schemas/values/money.ts'

/** Money as specs write it: a decimal string, by default in USD per month. */
export interface WrittenAmount {
  readonly amount: string
  readonly currency?: string
  readonly window?: SpendWindow
}

/** Converts what a spec says to a limit. */
export function toSpendLimit({ amount, currency = 'USD', window = 'month' }: WrittenAmount): SpendLimit {
  return { amount: parseMicros(amount), currency, window }
}
