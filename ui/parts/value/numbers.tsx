import { toCount } from '../format/counts.ts'
import { toDuration } from '../format/duration.ts'
import { toMoney } from '../format/money.ts'

/** A duration; unknown is a dash. */
export function Duration({ ms }: { readonly ms: number | null | undefined }) {
  return <span className="num">{toDuration(ms)}</span>
}

interface MoneyProps {
  /** The decimal string of the API. */
  readonly amount: string | null | undefined
  readonly currency: string
}

/** An amount of money; unknown is a dash, never 0. */
export function Money({ amount, currency }: MoneyProps) {
  return <span className="num">{toMoney(amount, currency)}</span>
}

/** A count, also of tokens. The exact one stands in the tip of a short form. */
export function Count({ value }: { readonly value: number | null | undefined }) {
  const shown = toCount(value)
  const exact = value?.toLocaleString('en')
  return (
    <span className="num" {...(exact === undefined || exact === shown ? {} : { 'data-tip': exact })}>
      {shown}
    </span>
  )
}
