import type { Spending } from '#schemas/api/tenants.ts'
import { toPercent } from '#ui/parts/format/counts.ts'
import { toMoney } from '#ui/parts/format/money.ts'
import { toExact } from '#ui/parts/format/times.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { toneClass } from '#ui/parts/status/tones.ts'
import type { Tone } from '#ui/parts/status/tones.ts'
import { FactList } from './fact-list.tsx'
import styles from './overview.module.css'
import { overviewText } from './text.ts'

const text = overviewText.budget
const NEAR = 0.8

/** What is spent of the budget of the agent. */
export function BudgetCard({ budget }: { readonly budget: Spending }) {
  const { currency, window, spent, held, limit, remaining, resetsAt } = budget
  const share = Number(limit) > 0 ? Number(spent) / Number(limit) : 1
  const tone: Tone = share >= 1 ? 'bad' : share >= NEAR ? 'warn' : 'ok'
  return (
    <Card title={text.title}>
      <div
        className={`${styles['track']} ${toneClass(tone)}`}
        role="img"
        aria-label={text.share(toPercent(Math.min(1, share)))}
      >
        <div className={styles['fill']} style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
      <FactList
        facts={[
          [text.spent, toMoney(spent, currency)],
          [text.held, toMoney(held, currency)],
          [text.left, toMoney(remaining, currency)],
          [text.of(window), toMoney(limit, currency)],
          ...(resetsAt === null ? [] : ([[text.resets, toExact(resetsAt)]] as const)),
        ]}
      />
    </Card>
  )
}
