import { useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { requestApi } from '#ui/api/request-api.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import type { ApprovalItem, PausedRun } from '../items/approval-items.ts'
import { newKey, sendDecision } from '../items/decide.ts'
import type { GivenDecision } from '../items/decide.ts'
import { isOwnPress } from '#ui/parts/keys/press-guard.ts'
import { approvalsText as text } from '../items/text.ts'

/** A decision that is being made. */
export interface DecidingState {
  readonly isBusy: boolean
  readonly failure: Error | undefined
  /** Whether a press is meant for this decision, and not for the one before it. */
  readonly isOwn: () => boolean
  readonly decide: (given: GivenDecision) => void
}

interface DecideOptions {
  readonly item: ApprovalItem
  readonly onDecided: (run: PausedRun) => void
  readonly onOvertaken: (run: PausedRun) => void
}

/** Sends a decision once. After a refusal the run is read again: another person may have decided. */
export function useDecide({ item, onDecided, onOvertaken }: DecideOptions): DecidingState {
  // Of the mount: each decision is a component of its own.
  const [presses] = useState(() => ({ shownAt: performance.now(), lastAt: Number.NEGATIVE_INFINITY, key: newKey() }))
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Error>()
  const isOwn = (): boolean => isOwnPress(performance.now(), presses)
  const fail = async (error: unknown): Promise<void> => {
    setFailure(error instanceof Error ? error : new Error(String(error)))
    presses.key = newKey()
    const run = await readRun(item.run.id)
    if (run !== undefined && !run.interrupts.some(({ id }) => id === item.interrupt.id)) onOvertaken(run)
  }
  const decide = (given: GivenDecision): void => {
    if (isBusy || !isOwn()) return
    presses.lastAt = performance.now()
    setBusy(true)
    setFailure(undefined)
    const finish = (run: PausedRun): void => {
      showToast({ kind: 'done', message: text.doneFor(text.done[given.decision ?? 'answer'], nameOf(item)) })
      onDecided(run)
    }
    sendDecision(item, given, presses.key)
      .then(finish)
      .catch(fail)
      .finally(() => setBusy(false))
  }
  return { isBusy, failure, isOwn, decide }
}

// Read outside the cache: its failure is not that of the decision.
async function readRun(id: string): Promise<PausedRun | undefined> {
  try {
    return (await (await requestApi({ path: ['runs', id] })).json()) as PausedRun
  } catch {
    return undefined
  }
}

function nameOf({ run, interrupt }: ApprovalItem): string {
  return [interrupt.tool, run.agent?.name].filter((name) => name !== undefined).join(', ')
}

/** What a failed request says to who decides. */
export function failureWords(error: Error): string {
  const wait = error instanceof ApiProblem ? error.facts.retryAfter : undefined
  return wait === undefined ? error.message : `${error.message} ${text.wait(wait)}`
}

/** The field of a problem that is about a pointer. */
export function fieldProblem(error: Error | undefined, pointer: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const found = error.facts.errors?.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))
  return found === undefined ? undefined : `${found.pointer} ${found.detail}`
}
