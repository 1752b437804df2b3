import { ApiProblem } from '#ui/api/api-problem.ts'
import { sendApi } from '#ui/api/request-api.ts'
import type { ApprovalItem, PausedRun } from './approval-items.ts'

/** The answer of a person, as the API takes it. */
export interface GivenDecision {
  readonly decision?: 'approve' | 'reject'
  readonly payload?: unknown
  readonly arguments?: unknown
  readonly reason?: string
  readonly onReject?: 'end' | 'answer'
}

/** Sends a decision. Returns the run as it is then. A repeated send of the same key decides once. */
export async function sendDecision(
  { run, interrupt }: ApprovalItem,
  given: GivenDecision,
  key: string,
): Promise<PausedRun> {
  const changed = await sendApi<PausedRun>({
    method: 'POST',
    path: ['runs', run.id, 'resume'],
    body: { interruptId: interrupt.id, ...given },
    headers: { 'idempotency-key': key },
  })
  if (changed === undefined)
    throw new ApiProblem({ status: 502, title: 'No response', detail: 'The response was empty.' })
  return changed
}

/** How many decisions are rejected at once. */
export const MOST_REJECTED = 50

/** Rejects decisions one after the other with one reason. Returns the runs that changed, and the ids of what failed with the reasons. */
export async function rejectAll(
  items: readonly ApprovalItem[],
  reason: string,
): Promise<{ readonly changed: readonly PausedRun[]; readonly failed: ReadonlyMap<string, string> }> {
  const changed: PausedRun[] = []
  const failed = new Map<string, string>()
  for (const item of items.slice(0, MOST_REJECTED)) {
    const given: GivenDecision = { decision: 'reject', reason, onReject: 'end' }
    await sendDecision(item, given, newKey())
      .then((run) => changed.push(run))
      .catch((error: unknown) => failed.set(item.id, error instanceof Error ? error.message : String(error)))
  }
  return { changed, failed }
}

/** A key of a request. A page without https has no `crypto.randomUUID`. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
