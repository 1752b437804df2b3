import { isApiStatus } from '#cli/contract/api-problem.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import type { EvalResultsView, EvaluationPhase } from '#schemas/api/evaluations.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** Where the state of a gate is read, and how time passes. */
export interface FollowedGate {
  readonly results: () => Promise<EvalResultsView>
  readonly agent: () => Promise<AgentDeploymentObject>
  readonly pause: (ms: number) => Promise<void>
  readonly now: () => number
  /** Called with each reading. */
  readonly show: (text: string) => void
  /** Longest time of the evaluation itself. */
  readonly evaluationMs: number
}

const POLL_MS = 1_000
/** Time in which the evaluation must start: images are pulled meanwhile. */
export const START_MS = 300_000
/** Time for the end of the last runs. */
export const END_MS = 60_000
/** Time for which an agent may be refused: its suite and its prompt are observed meanwhile. */
const REFUSED_MS = 20_000
const UNREADABLE_MS = 60_000

const open: readonly (EvaluationPhase | null)[] = [null, 'Pending', 'Running']

/** Polls the gate until its evaluation has ended. Throws `CliProblem` if it does not start or end in time. */
export async function followGate(gate: FollowedGate): Promise<EvalResultsView> {
  const { pause, now, show, evaluationMs } = gate
  const began = now()
  let runningSince: number | undefined
  const unreadable = createClock(now)
  const refused = createClock(now)
  for (;;) {
    const results = await gate.results().catch((error: unknown) => ofFailure(error, unreadable))
    if (results !== undefined) unreadable.reset()
    const phase = results?.phase ?? null
    if (results !== undefined && !open.includes(phase)) return results
    if (phase === 'Running') runningSince ??= now()
    const problem = phase === null ? refusalOf(await gate.agent().catch(() => undefined)) : undefined
    if (problem === undefined) refused.reset()
    else if (refused.since() >= REFUSED_MS) throw new CliProblem(`the candidate is not accepted: ${problem}`)
    show(describe(results, problem))
    if (runningSince === undefined && now() - began >= START_MS) throw await notStarted(gate)
    if (runningSince !== undefined && now() - runningSince >= evaluationMs + END_MS)
      throw new CliProblem(
        'the evaluation has not ended within the timeout of the suite',
        'Raise spec.timeout of the suite.',
      )
    await pause(POLL_MS)
  }
}

// The suite is observed a moment after it was created, and a replica of the API may restart.
function ofFailure(error: unknown, unreadable: Clock): undefined {
  const isRefused = isApiStatus(error, 401) || isApiStatus(error, 403)
  if (isRefused || !(error instanceof CliProblem) || unreadable.since() >= UNREADABLE_MS) throw error
  return undefined
}

function describe(results: EvalResultsView | undefined, problem: string | undefined): string {
  const { evaluation = null } = results ?? {}
  if (evaluation === null) return problem ?? 'waiting for the candidate'
  const { passed, failed, errored, total } = evaluation.cases
  return `${evaluation.phase}: ${passed + failed + errored} of ${total} cases`
}

function refusalOf(agent: AgentDeploymentObject | undefined): string | undefined {
  const conditions = agent?.status?.conditions ?? []
  const refusal = conditions.find(
    ({ type, status }) => ['Accepted', 'ResolvedRefs'].includes(type) && status === 'False',
  )
  return refusal && toSafeText(`${refusal.reason}: ${refusal.message}`)
}

async function notStarted(gate: FollowedGate): Promise<CliProblem> {
  const agent = await gate.agent().catch(() => undefined)
  const ready = agent?.status?.conditions?.find(({ type }) => type === 'Ready')
  const why = ready === undefined ? 'it has no status' : `${ready.reason}: ${ready.message}`
  return new CliProblem(toSafeText(`the candidate was not ready within ${START_MS / 60_000} minutes: ${why}`))
}

interface Clock {
  /** Milliseconds since the first call after a reset. */
  since(): number
  reset(): void
}

function createClock(now: () => number): Clock {
  let start: number | undefined
  return {
    since: () => now() - (start ??= now()),
    reset: () => {
      start = undefined
    },
  }
}
