import type { Static } from 'typebox'
import type { Interrupt, Run } from '#schemas/api/runs.ts'

/** A run, as lists have it. */
export type PausedRun = Static<typeof Run>

/** What a paused run waits for. */
export type WaitingInterrupt = Static<typeof Interrupt>

/** One page of runs. */
export interface PausedRunPage {
  readonly items: readonly PausedRun[]
  readonly nextCursor: string | null
}

/** A decision to make. */
export interface ApprovalItem {
  /** Id of the run and of the interrupt, as the address has it. */
  readonly id: string
  readonly run: PausedRun
  readonly interrupt: WaitingInterrupt
}

const SOON_MS = 10 * 60_000

/** The decisions of paused runs; first what expires first. */
export function toItems(runs: readonly PausedRun[]): readonly ApprovalItem[] {
  return runs
    .filter(({ state }) => state === 'paused')
    .flatMap((run) => run.interrupts.map((interrupt) => ({ id: itemId(run.id, interrupt.id), run, interrupt })))
    .toSorted((a, b) => expiryOf(a) - expiryOf(b))
}

/** Id of a decision. */
export function itemId(run: string, interrupt: string): string {
  return `${run}/${interrupt}`
}

/** Run and interrupt of an address; an address may name a run alone. */
export function parseItem(item: string): { readonly run: string; readonly interrupt: string | undefined } {
  const cut = item.indexOf('/')
  return cut === -1 ? { run: item, interrupt: undefined } : { run: item.slice(0, cut), interrupt: item.slice(cut + 1) }
}

/** The decision that an address names. */
export function findItem(items: readonly ApprovalItem[], item: string): ApprovalItem | undefined {
  const { run, interrupt } = parseItem(item)
  return items.find((one) => one.run.id === run && (interrupt === undefined || one.interrupt.id === interrupt))
}

/** What is shown after a decision: the one below it, else the one above. */
export function nextItem(items: readonly ApprovalItem[], decided: string): ApprovalItem | undefined {
  const at = items.findIndex(({ id }) => id === decided)
  return items[at + 1] ?? items[at - 1]
}

/** The page with a run as it is after a decision. */
export function withRun(page: PausedRunPage, changed: PausedRun): PausedRunPage {
  // A single run has its whole content, which a list does not keep.
  const { input: _, output: __, ...run } = changed
  return { ...page, items: page.items.map((one) => (one.id === run.id ? { ...one, ...run } : one)) }
}

/** Milliseconds until a decision expires; undefined if it does not say. */
export function msLeft({ expiresAt }: WaitingInterrupt, now: number): number | undefined {
  const end = Date.parse(expiresAt ?? '')
  return Number.isNaN(end) ? undefined : end - now
}

/** Whether a decision is urgent. */
export function isSoon(interrupt: WaitingInterrupt, now: number): boolean {
  const left = msLeft(interrupt, now)
  return left !== undefined && left < SOON_MS
}

function expiryOf({ interrupt, run }: ApprovalItem): number {
  const end = Date.parse(interrupt.expiresAt ?? '')
  // Without an end, in the order of their creation, after those that have one.
  return Number.isNaN(end) ? Number.MAX_SAFE_INTEGER - 1e15 + Date.parse(run.createdAt) : end
}
