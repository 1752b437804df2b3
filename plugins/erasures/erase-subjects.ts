import { assertEpoch } from '#core/database/leader-election.ts'
import type { Term } from '#core/jobs/background-work.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import { erasureFinished } from './contract/events.ts'
import type { ErasureStep, Eraser } from './contract/points.ts'
import type { ErasuresTables } from './contract/tables.ts'
import { addErased, finishRequest, markRunning, readOpenRequests } from './store/requests.ts'
import type { OpenErasure } from './store/requests.ts'
import { subjectOfErasure } from './request-erasure.ts'

/** Name of the job, whose lease has the epoch of each transaction. */
export const ERASING_JOB = 'erasures.erase'

const actor = { name: 'erasures', kind: 'controller' } as const

/** Dependencies. `counted` is called after each COMMIT, `oldest` with the age of the oldest erasure. */
export interface ErasingOptions {
  readonly store: Store
  readonly erasers: () => readonly Eraser[]
  readonly counted: (of: string, items: number) => void
  readonly oldest: (seconds: number) => void
  /** Maximum number of items per transaction. */
  readonly batch?: number
}

interface Erasing extends Required<ErasingOptions> {
  readonly term: Term
}

/**
 * Continues each erasure as far as possible. Its row has the state: another leader continues it after a crash. An eraser that fails delays its
 * erasure only; its error is thrown at the end, so that the job is retried.
 */
export async function eraseSubjects(options: ErasingOptions, term: Term): Promise<void> {
  const erasing = { batch: 200, ...options, term }
  const { open, oldestSeconds } = await readOpenRequests(options.store.reader<ErasuresTables>())
  options.oldest(oldestSeconds)
  const errors: unknown[] = []
  for (const erasure of open) {
    if (term.signal.aborted) return
    await eraseOne(erasing, erasure).catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}

async function eraseOne(erasing: Erasing, erasure: OpenErasure): Promise<void> {
  const erasers = erasing.erasers().toSorted((a, b) => Number(b.first ?? false) - Number(a.first ?? false))
  if (erasure.state === 'queued') {
    for (const one of erasers) await stopWriters(erasing, erasure, one)
    if (erasing.term.signal.aborted) return
    await inTerm(erasing, (tx) => markRunning(tx.tables<ErasuresTables>(), erasure.erasureId))
  }
  for (const one of erasers) if ((await eraseWith(erasing, erasure, one)) !== 'done') return
  await inTerm(erasing, (tx) => finish(tx, erasure))
}

async function stopWriters(erasing: Erasing, erasure: OpenErasure, eraser: Eraser): Promise<void> {
  const { batch, term } = erasing
  for (let stopped = batch; stopped >= batch && !term.signal.aborted;)
    stopped = await inTerm(erasing, async (tx) => (await eraser.stop?.(tx, erasure, batch)) ?? 0)
}

async function eraseWith(erasing: Erasing, erasure: OpenErasure, eraser: Eraser): Promise<ErasureStep['next']> {
  const { batch, counted, term } = erasing
  let next: ErasureStep['next'] = 'more'
  while (next === 'more' && !term.signal.aborted)
    next = await inTerm(erasing, async (tx) => {
      const step = await eraser.erase(tx, erasure, batch)
      await addErased(tx.tables<ErasuresTables>(), erasure.erasureId, eraser.name, step.erased)
      tx.afterCommit(() => counted(eraser.name, step.erased))
      return step.next
    })
  return next
}

async function finish(tx: Tx, { erasureId }: OpenErasure): Promise<void> {
  const row = await finishRequest(tx.tables<ErasuresTables>(), erasureId)
  if (row === undefined) return
  const erased = toErasedItems(row.erased)
  const count = erased.reduce((sum, item) => sum + item.count, 0)
  const event = { type: erasureFinished, actor, subject: subjectOfErasure(row), data: { erasureId, count, erased } }
  await tx.append(`erasures/${erasureId}`, 'any', [event])
}

/** Erased items by what they are, in the order of the names. */
export function toErasedItems(erased: Readonly<Record<string, number>>) {
  return Object.entries(erased)
    .map(([of, count]) => ({ of, count }))
    .toSorted((a, b) => (a.of < b.of ? -1 : 1))
}

function inTerm<Result>({ store, term }: Erasing, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return store.transact(async (tx) => {
    await assertEpoch(tx.tables(), ERASING_JOB, term.epoch)
    return work(tx)
  })
}
