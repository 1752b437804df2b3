import { isObject } from '#core/json/is-object.ts'
import { consentInterruptPrefix, guardrailInterruptPrefix, toolInterruptPrefix } from '#schemas/runs/run.ts'
import type { Interrupt, InvokeRequest } from '#schemas/runs/run.ts'
import type { Approvals } from '../contract/runs/approvals.ts'

/** A request as the agent may see it, and its approvals. */
export interface OpenedRequest {
  readonly request: InvokeRequest
  readonly approvals: Approvals
}

/** Maximum number of approvals that a run remembers. */
const maxApproved = 1_000

/**
 * Opens the request of an attempt. The checkpoint of a resume is the one that `seal` returned: the stored run keeps it, and the agent sees its own
 * part only. An agent that has not paused by itself has no checkpoint and is invoked as on the first attempt.
 */
export function openApprovals(request: InvokeRequest): OpenedRequest {
  const { resume, ...context } = request.context ?? {}
  const { approved, isOwn, checkpoint } = unseal(resume?.checkpoint)
  const decisions = new Map<string, 'approve' | 'reject'>(approved.map((id) => [id, 'approve']))
  for (const { interruptId, decision } of resume?.resolutions ?? [])
    if (isReservedInterrupt(interruptId) && decision !== undefined) decisions.set(interruptId, decision)
  const resolutions = (resume?.resolutions ?? []).filter(({ interruptId }) => !isReservedInterrupt(interruptId))
  const resumed = resume === undefined || !isOwn ? {} : { resume: { resolutions, checkpoint } }
  const pending = new Map<string, Interrupt>()
  return {
    request: { ...request, ...(request.context === undefined ? {} : { context: { ...context, ...resumed } }) },
    approvals: {
      decisionOf: (id) => decisions.get(id),
      request(interrupt) {
        pending.set(interrupt.id, interrupt)
      },
      pending: () => [...pending.values()],
      seal(own, ownPause) {
        const ids = [...decisions].flatMap(([id, decision]) => (decision === 'approve' ? [id] : []))
        return { v: 1, approved: ids.slice(-maxApproved), isOwn: ownPause, checkpoint: own ?? null }
      },
    },
  }
}

const reserved = [guardrailInterruptPrefix, toolInterruptPrefix, consentInterruptPrefix] as const

/** Whether an interrupt is one that the launcher requests, for a guardrail, a tool call or a consent. */
export function isReservedInterrupt(id: string): boolean {
  return reserved.some((prefix) => id.startsWith(prefix))
}

interface Sealed {
  readonly approved: readonly string[]
  readonly isOwn: boolean
  readonly checkpoint: unknown
}

// A run that paused before the agent had policies has only the checkpoint of its agent.
function unseal(given: unknown): Sealed {
  if (!isObject(given) || given.v !== 1 || !Array.isArray(given.approved) || typeof given.isOwn !== 'boolean')
    return { approved: [], isOwn: true, checkpoint: given }
  const { approved, isOwn, checkpoint } = given
  return { approved: approved.filter((id) => typeof id === 'string'), isOwn, checkpoint }
}
