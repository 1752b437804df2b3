import type { StoredEvent } from '#core/event-store/event.ts'
import { parseMicros } from '#schemas/values/money.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import type { MeteredModelCall } from '#plugins/providers/contract/events.ts'
import { usageReported } from '../contract/events.ts'

type Event = Pick<StoredEvent, 'type' | 'time' | 'data'>

/** Amounts that a group of events adds to the row of a run. Sums are whole numbers as strings. */
export interface CostAddition {
  readonly run_id: string
  readonly calls: string
  readonly unpriced: string
  readonly answered: string
  readonly metered: boolean
  /** Model of the first metered call. */
  readonly model: string | null
  readonly micros: string
  readonly currency: string | null
  /** The priced calls have several currencies. */
  readonly mixed: boolean
  readonly reported: string
  readonly own_reports: string
  readonly reported_at: string | null
}

interface Sums {
  calls: bigint
  unpriced: bigint
  answered: bigint
  metered: boolean
  model: string | undefined
  micros: bigint
  currencies: Set<string>
  reported: bigint
  own: bigint
  reportedAt: Date | undefined
}

/** Folds metered calls and reports into one addition per run, in the order of the ids. Pure. */
export function toAdditions(events: readonly Event[]): readonly CostAddition[] {
  const runs = new Map<string, Sums>()
  for (const event of events) {
    const { runId } = event.data as { readonly runId: string | null }
    if (runId === null) continue
    const sums = runs.get(runId) ?? emptySums()
    runs.set(runId, sums)
    if (event.type === modelCallMetered.type) addMetered(sums, event.data as MeteredModelCall)
    else if (event.type === usageReported.type) addReport(sums, event)
  }
  return [...runs].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([runId, sums]) => toAddition(runId, sums))
}

function emptySums(): Sums {
  const zero = { calls: 0n, unpriced: 0n, answered: 0n, micros: 0n, reported: 0n, own: 0n }
  return { ...zero, metered: false, model: undefined, currencies: new Set(), reportedAt: undefined }
}

function addMetered(sums: Sums, { cost, payer, status, model }: MeteredModelCall): void {
  sums.calls += 1n
  if (cost) {
    sums.micros += parseMicros(cost.amount)
    sums.currencies.add(cost.currency)
  } else sums.unpriced += 1n
  // Embeddings that a role requests are not in the run's reports.
  if (payer !== undefined) return
  sums.metered = true
  sums.model ??= model
  if (status < 400) sums.answered += 1n
}

function addReport(sums: Sums, { time, data }: Event): void {
  const { gateway = false } = data as NonNullable<(typeof usageReported)['of']>
  if (gateway) sums.reported += 1n
  else sums.own += 1n
  if (sums.reportedAt === undefined || sums.reportedAt < time) sums.reportedAt = time
}

function toAddition(runId: string, sums: Sums): CostAddition {
  const [currency = null] = sums.currencies
  return {
    run_id: runId,
    calls: String(sums.calls),
    unpriced: String(sums.unpriced),
    answered: String(sums.answered),
    metered: sums.metered,
    model: sums.model ?? null,
    micros: String(sums.micros),
    currency,
    mixed: sums.currencies.size > 1,
    reported: String(sums.reported),
    own_reports: String(sums.own),
    reported_at: sums.reportedAt?.toISOString() ?? null,
  }
}
