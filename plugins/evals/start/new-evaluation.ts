import type { Tx } from '#core/event-store/store.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { PreparedRun } from '#plugins/runs/contract/api.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import { evaluationRequested } from '../contract/events.ts'
import type { EvalTables } from '../contract/tables.ts'
import { insertEvaluation } from '../store/evaluations.ts'
import type { NewEvaluation } from '../store/evaluations.ts'

/** A revision of an agent that runs: it serves or is a candidate. */
export interface RunningRevision {
  readonly number: number
  /** Name of the ControllerRevision. */
  readonly name: string
}

/** What an evaluation scores, by whom and why. */
export interface RequestedEvaluation {
  readonly suite: EvalSuiteObject
  readonly agent: AgentDeploymentObject
  readonly namespaceUid: string
  readonly revision: RunningRevision
  readonly prepared: PreparedRun
  readonly origin: 'request' | 'gate'
  readonly by: string
  readonly at: Date
}

/** The revisions of an agent that run now, the candidate first. */
export function runningRevisions({ status }: AgentDeploymentObject): readonly RunningRevision[] {
  const { candidate, currentRevision: name, servingRevisions: [number] = [] } = status ?? {}
  return [
    ...(candidate === undefined ? [] : [{ number: candidate.number, name: candidate.revision }]),
    ...(name === undefined || number === undefined ? [] : [{ number, name }]),
  ]
}

/** The score that a suite requires of an agent: its gate may require another one. */
export function requiredScore(suite: EvalSuiteObject, agent: AgentDeploymentObject): number {
  const { evalGate: gate } = agent.spec
  return (gate?.suiteRef.name === suite.metadata.name ? gate.minScore : undefined) ?? suite.spec.minScore
}

/** Stores an evaluation that waits for the manager, with its event. */
export async function requestEvaluationIn(tx: Tx, requested: RequestedEvaluation): Promise<NewEvaluation> {
  const { suite, agent, namespaceUid, revision, prepared, origin, by, at } = requested
  const { namespace = '', name, uid = '' } = suite.metadata
  const row: NewEvaluation = {
    id: prepared.runId,
    namespace,
    namespace_uid: namespaceUid,
    suite: name,
    suite_uid: uid,
    suite_spec: suite.spec,
    agent: agent.metadata.name,
    agent_uid: agent.metadata.uid ?? '',
    revision: revision.number,
    revision_name: revision.name,
    origin,
    min_score: requiredScore(suite, agent),
    baseline_revision: baselineOf(suite, agent, revision),
    prepared,
    created_by: by,
    created_at: at,
  }
  await insertEvaluation(tx.tables<EvalTables>(), row)
  const subject = { namespace, namespaceUid, kind: EvalSuite.kind, name, uid }
  const { id: evaluationId, agent: agentName, agent_uid: agentUid, revision: number } = row
  const data = { evaluationId, agent: agentName, agentUid, revision: number, origin }
  await tx.append(`evals/${evaluationId}`, 'any', [
    { type: evaluationRequested, actor: accountActor(by), subject, data },
  ])
  return row
}

// The first revision has nothing to be compared with.
function baselineOf(suite: EvalSuiteObject, agent: AgentDeploymentObject, revision: RunningRevision): number | null {
  const { baseline } = suite.spec
  if (baseline === undefined) return null
  const serving = agent.status?.servingRevisions?.[0]
  const number = baseline.revision === 'deployed' ? serving : Number(baseline.revision)
  return number === undefined || number === revision.number ? null : number
}
