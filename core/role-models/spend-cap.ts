/**
 * A cap on what the calls of a role for one purpose cost together, besides the limits of their payer. The ledger reserves the maximum cost of each call
 * within it, so that calls of several processes stay below it.
 */
export interface SpendCap {
  /** What shares the cap, such as an evaluation. A UUIDv7 for the window `total`: its counter is removed by the age of the id. */
  readonly id: string
  /** `day` is a day in UTC. */
  readonly window: 'day' | 'total'
  /** Decimal string with at most six places. */
  readonly amount: string
  readonly currency: string
}

/** Header of the gateway in which a role names the cap of a call. */
export const capHeader = 'x-mesh-cap'

/** Header of a response to a role: amount and currency of the call, if its price is known. */
export const costHeader = 'x-mesh-cost'

/** The cap as a header: `window/amount/currency/id`. */
export function formatCap({ window, amount, currency, id }: SpendCap): string {
  return `${window}/${amount}/${currency}/${id}`
}

/** Parses a header; undefined for any other form. */
export function parseCap(text: string): SpendCap | undefined {
  const [, window, amount = '', currency = '', id = ''] = FORM.exec(text) ?? []
  if (window !== 'day' && window !== 'total') return undefined
  return window === 'total' && !UUID_V7.test(id) ? undefined : { window, amount, currency, id }
}

const FORM = /^(day|total)\/([0-9]{1,12}(?:\.[0-9]{1,6})?)\/([A-Z]{3})\/([A-Za-z0-9-]{1,128})$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
