import type { KubeObject } from '#core/kube/client.ts'

/** Whether a run may wait for its agent, and the reason: a single word such as `ImagePullBackOff`, never a message of the cluster. */
export interface WaitVerdict {
  readonly outcome: 'waits' | 'never'
  readonly reason: string
}

/** A condition in the status of an agent. */
export interface AgentCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
  readonly observedGeneration?: number
}

/** An agent, reduced to the fields used here. */
export type JudgedAgent = KubeObject<
  { readonly executionModel?: string },
  {
    readonly observedGeneration?: number
    readonly currentRevision?: string
    readonly candidateRevision?: string
    readonly candidate?: { readonly number: number }
    readonly servingRevisions?: readonly number[]
    readonly conditions?: readonly AgentCondition[]
  }
>

/** The run of an agent: the uid of the agent, and the only revision that may start the run. */
export interface JudgedRun {
  readonly uid: string | null
  readonly revision?: number | null | undefined
}

// One apply may create an agent and the objects it references, in any order.
const settlesWithinMs = 5_000
const missingReferences: ReadonlySet<string> = new Set(['NotFound', 'NotAllowed', 'KindNotAvailable'])

/** Judges whether waiting can help a run whose agent has no ready pod. It cannot without an agent of that uid. Pure. */
export function judgeReadiness(agent: JudgedAgent | undefined, { uid, revision }: JudgedRun, now: Date): WaitVerdict {
  if (agent === undefined || agent.metadata.uid !== uid) return { outcome: 'never', reason: 'AgentDeleted' }
  if (agent.spec?.executionModel === 'job') return { outcome: 'never', reason: 'JobAgent' }
  if (revision != null && isRevisionAbsent(agent, revision)) return { outcome: 'never', reason: 'RevisionNotRunning' }
  const current = (agent.status?.conditions ?? []).filter(
    ({ observedGeneration }) => observedGeneration === undefined || observedGeneration === agent.metadata.generation,
  )
  const ready = current.find(({ type }) => type === 'Ready')
  // A revision that was ready may become ready again, whatever the newest spec is.
  const refusal = agent.status?.currentRevision === undefined ? refusalOf(current, now) : undefined
  if (refusal !== undefined) return { outcome: 'never', reason: toWord(refusal) }
  if (ready === undefined) return { outcome: 'waits', reason: 'NotObserved' }
  return { outcome: 'waits', reason: ready.status === 'True' ? 'NoReadyPod' : toWord(ready.reason) }
}

/**
 * Whether the status shows that a revision neither serves nor is a candidate. Not while a revision is rolled out, and not of an agent without pods,
 * whose next ones may have it. Pure.
 */
export function isRevisionAbsent({ metadata, status = {} }: JudgedAgent, revision: number): boolean {
  const { observedGeneration, candidateRevision, candidate, servingRevisions = [] } = status
  if (servingRevisions.length === 0 || observedGeneration !== metadata.generation) return false
  if (candidateRevision !== undefined && candidate === undefined) return false
  return !servingRevisions.includes(revision) && candidate?.number !== revision
}

/** The reason why a spec cannot run until it is changed. */
function refusalOf(conditions: readonly AgentCondition[], now: Date): string | undefined {
  const accepted = conditions.find(({ type }) => type === 'Accepted')
  if (accepted?.status === 'False') return accepted.reason ?? 'NotAccepted'
  const resolved = conditions.find(({ type }) => type === 'ResolvedRefs')
  const isMissing = resolved?.status === 'False' && missingReferences.has(resolved.reason ?? '')
  const since = Date.parse(resolved?.lastTransitionTime ?? '')
  return isMissing && since + settlesWithinMs <= now.getTime() ? resolved.reason : undefined
}

// Other controllers write reasons, too; events must contain single words only.
function toWord(reason: string | undefined): string {
  return reason !== undefined && isReason(reason) ? reason : 'Unknown'
}

/** Whether a string has the format of a Kubernetes condition reason, short enough for an event. */
export function isReason(value: string): boolean {
  return /^[A-Z][A-Za-z0-9]{0,63}$/.test(value)
}
