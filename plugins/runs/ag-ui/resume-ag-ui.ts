import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import type { AgUiRunInput } from '#schemas/api/ag-ui.ts'
import type { CallerRuns, ResumeAnswer } from '../contract/caller-runs.ts'
import type { RunDetail } from '../contract/run.ts'
import { invalidInput, readAnswers, toResumeAnswer } from './read-input.ts'
import type { AgUiAnswer } from './read-input.ts'

/** The run whose interrupts were answered, and one of them. */
export interface ResumedRun {
  readonly id: string
  readonly interruptId: string
}

/** An agent and a conversation with it. */
export interface AgUiThread {
  readonly agent: { readonly namespace: DnsLabel; readonly name: DnsName }
  readonly threadId: string
}

/**
 * Answers the interrupts of a paused run of the thread. All open interrupts need an answer; repeating given answers changes nothing. A run of another
 * agent or thread is treated as unknown. Throws as `POST /api/runs/{id}/resume`.
 */
export async function resumeAgUi(
  runs: Pick<CallerRuns, 'get' | 'mayUpdate' | 'resume'>,
  caller: Caller,
  { agent, threadId }: AgUiThread,
  resume: NonNullable<AgUiRunInput['resume']>,
): Promise<ResumedRun> {
  const answers = readAnswers(resume)
  const [first] = answers
  if (first === undefined) throw invalidInput('/resume', 'must have an answer')
  const run = await runs.get(caller, first.runId)
  const isOfThread =
    run.agent?.namespace === agent.namespace && run.agent.name === agent.name && run.conversationId === threadId
  if (!isOfThread) throw new Fail('not_found')
  const access = await runs.mayUpdate(caller, run.id)
  const given = toAnswers(run, answers)
  for (const answer of given) await runs.resume({ caller, access }, run.id, answer)
  return { id: run.id, interruptId: first.interruptId }
}

// An answer that ends the run comes last: no interrupt can be answered after it.
function toAnswers(run: RunDetail, answers: readonly AgUiAnswer[]): readonly ResumeAnswer[] {
  const known = answers.filter((answer) => !wasGiven(run, answer))
  const open = new Map(run.interrupts.map((interrupt) => [interrupt.id, interrupt]))
  const given = known.map((answer) => {
    const interrupt = open.get(answer.interruptId)
    if (interrupt === undefined) throw invalidInput(`${answer.pointer}/interruptId`, 'is not an open interrupt')
    open.delete(answer.interruptId)
    return toResumeAnswer(interrupt, answer)
  })
  if (known.length > 0 && open.size > 0) throw invalidInput('/resume', 'must answer every open interrupt')
  const endsRun = ({ decision, onReject }: ResumeAnswer): boolean => decision === 'reject' && onReject === undefined
  return given.toSorted((a, b) => Number(endsRun(a)) - Number(endsRun(b)))
}

function wasGiven(run: RunDetail, { interruptId, entry }: AgUiAnswer): boolean {
  const decision = run.decisions.find((one) => one.interruptId === interruptId)
  if (decision === undefined || run.interrupts.some(({ id }) => id === interruptId)) return false
  const isRejection = entry.status === 'cancelled' || (decision.decision === 'reject' && isDenial(entry.payload))
  return decision.decision === 'reject' ? isRejection : entry.status === 'resolved' && !isDenial(entry.payload)
}

function isDenial(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'approved' in payload && payload.approved === false
}
