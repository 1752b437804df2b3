import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import { createRedactor } from '#core/guardrails/redactor.ts'
import type { Redactor } from '#core/guardrails/redactor.ts'
import type { WorkerContext } from '#core/plugin/role-contexts.ts'
import type { Task, TaskContext } from '#core/tasks/task.ts'
import type { EndedContent, RunsSystem } from '#plugins/runs/contract/api.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { parseMicros } from '#schemas/values/money.ts'
import { runScored } from '../contract/events.ts'
import type { ScoredOutput } from '../contract/points.ts'
import type { EvalTables } from '../contract/tables.ts'
import type { EvalsServices, ScoringCore } from '../contract/services.ts'
import { createEvaluatorContext } from '../evaluators/evaluator-context.ts'
import type { JudgeOfRun } from '../evaluators/evaluator-context.ts'
import { scoreOutput } from '../evaluators/score-output.ts'
import { endOnlineRun, findWaitingRun } from '../store/online-runs.ts'
import type { OnlineOutcome } from '../store/online-runs.ts'

/** What scores of runs need. */
export type OnlineServices = Pick<EvalsServices, 'store' | 'evaluators'> & { readonly core: ScoringCore } & Pick<
    RunsSystem,
    'contentOf'
  > &
  Pick<WorkerContext, 'models'>

type WaitingRun = NonNullable<Awaited<ReturnType<typeof findWaitingRun>>>

/** Scores a selected run. Scores, event and the end of the task are one transaction, so that a killed worker scores nothing twice. */
export async function scoreRun(
  services: OnlineServices,
  { payload: { runId } }: Task<{ readonly runId: string }>,
  context: TaskContext,
): Promise<void> {
  const waiting = await findWaitingRun(services.store.reader<EvalTables>(), runId)
  // Scored by an attempt before, or no suite scores runs of its agent any more.
  if (waiting === undefined) return
  const outcome = await outcomeOf(services, waiting, context)
  await services.store.transact(async (tx) => {
    await context.complete(tx)
    if (!(await endOnlineRun(tx.tables<EvalTables>(), runId, outcome)) || outcome.reason !== null) return
    const { namespace, namespace_uid: namespaceUid, agent: name, agent_uid: agentUid, suite } = waiting
    const subject = { namespace, namespaceUid, kind: AgentDeployment.kind, name, uid: agentUid }
    const scores = outcome.scores.map(({ evaluator, score }) => ({ evaluator, score }))
    await tx.append(`evals/online/${runId}`, 'any', [
      { type: runScored, subject, data: { runId, agentUid, suite, scores } },
    ])
  })
}

async function outcomeOf(services: OnlineServices, waiting: WaitingRun, context: TaskContext): Promise<OnlineOutcome> {
  const { core, evaluators } = services
  const spent = { micros: 0n, currency: null as string | null }
  const content = await services.contentOf(waiting.run_id)
  if (content === undefined) return skipped('RunRemoved', spent)
  const scored = await toScored(waiting.run_id, content)
  if (scored === undefined) return skipped('ContentHidden', spent)
  const judge = judgeOf(services, waiting, ({ amount, currency }) => {
    spent.micros += parseMicros(amount)
    spent.currency = currency
  })
  const used = { used: waiting.spec.evaluators, known: evaluators() }
  const found = await scoreOutput(used, scored, createEvaluatorContext(core, context.signal, judge), core.log)
  if ('scores' in found) return { reason: null, scores: found.scores, judge: spent }
  return skipped(found.isCapped ? 'CostCapReached' : 'EvaluatorFailed', spent)
}

function skipped(reason: string, judge: OnlineOutcome['judge']): OnlineOutcome {
  return { reason, scores: [], judge }
}

// Judges and services outside see what the trace policy of the agent shows.
async function toScored(caseId: string, { rule, tools, ...content }: EndedContent): Promise<ScoredOutput | undefined> {
  const redactor = rule === 'hidden' ? undefined : compile(rule.redact)
  if (redactor === undefined) return undefined
  const [input, output] = (await redactor.value([content.input, content.output])) as readonly unknown[]
  return { caseId, input, output, metadata: {}, tools }
}

function compile(names: readonly string[]): Redactor | undefined {
  try {
    return createRedactor(names)
  } catch (error) {
    if (error instanceof PolicyProblem) return undefined
    throw error
  }
}

function judgeOf(
  { models }: OnlineServices,
  { namespace, agent: name, agent_uid: uid, spec, run_id: runId, suite_uid: suiteUid }: WaitingRun,
  spent: JudgeOfRun['spent'],
): JudgeOfRun | undefined {
  if (spec.judge === undefined) return undefined
  const { maxCostPerDay: most } = spec
  return {
    models,
    payer: { kind: 'agent', namespace, name, uid },
    runId,
    route: `${namespace}/${spec.judge}`,
    // The suite's: all agents of the suite share what it may cost on a day.
    cap: most && { id: suiteUid, window: 'day', amount: most.amount, currency: most.currency ?? 'USD' },
    spent,
  }
}
