import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { ManagerContext } from '#core/plugin/role-contexts.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import type { EvalTables } from '../contract/tables.ts'
import { EVALUATION_KIND } from '../execute/step.ts'
import type { EvalsServices } from '../contract/services.ts'
import { readEvaluations } from '../store/evaluations.ts'
import { requestEvaluationIn, runningRevisions } from './new-evaluation.ts'
import type { RunningRevision } from './new-evaluation.ts'

/** The identity of the manager. */
export type ManagerIdentity = Pick<ManagerContext, 'cluster' | 'subjectMay'>

/** The agents of a suite's namespace whose gate names it. */
export async function listGatedAgents(
  cluster: KubeClient,
  { metadata: { namespace = '', name } }: EvalSuiteObject,
): Promise<readonly AgentDeploymentObject[]> {
  const where = { namespace: parseLabel('namespace', namespace) }
  const { items } = await cluster.list<AgentDeploymentObject>(AgentDeployment, where)
  return items.filter(
    ({ spec, metadata }) => spec.evalGate?.suiteRef.name === name && metadata.deletionTimestamp === undefined,
  )
}

/**
 * Requests the evaluations that gates wait for: of the candidate, of what serves where the suite only warns, and of a baseline that has no score. Each
 * acts as the agent itself: no person has requested it.
 */
export async function startGatedEvaluations(
  services: EvalsServices,
  manager: ManagerIdentity,
  suite: EvalSuiteObject,
): Promise<void> {
  for (const agent of await listGatedAgents(manager.cluster, suite)) {
    const [candidate] = agent.status?.candidate === undefined ? [] : runningRevisions(agent)
    const serving = runningRevisions(agent).find(({ number }) => number !== candidate?.number)
    const isReady = agent.status?.candidate?.pods.some(({ ready }) => ready) === true
    if (candidate !== undefined && isReady)
      await startUnscored(services, manager, { suite, agent, revision: candidate })
    const wantsServing = suite.spec.mode === 'warn' || (candidate !== undefined && isReady && isBaseline(suite))
    if (serving !== undefined && wantsServing)
      await startUnscored(services, manager, { suite, agent, revision: serving })
  }
}

function isBaseline({ spec }: EvalSuiteObject): boolean {
  return spec.baseline?.revision === 'deployed'
}

interface Unscored {
  readonly suite: EvalSuiteObject
  readonly agent: AgentDeploymentObject
  readonly revision: RunningRevision
}

async function startUnscored(
  services: EvalsServices,
  manager: ManagerIdentity,
  { suite, agent, revision }: Unscored,
): Promise<void> {
  const { namespace = '', name, uid: agentUid = '' } = agent.metadata
  const of = { suiteUid: suite.metadata.uid, agentUid, revision: revision.number }
  const [known] = await readEvaluations(services.store.reader<EvalTables>(), of, 1)
  if (known !== undefined) return
  const namespaceUid = await services.core.observed.namespaceUid(namespace)
  // The object index lags behind; the next reconciliation finds it.
  if (namespaceUid === undefined) return
  const prepared = await services.runs.prepareAs(
    manager,
    { namespace, name },
    {
      executor: { kind: EVALUATION_KIND, namespace, object: name },
      input: { suite: suite.metadata.name, agent: name, revision: revision.number },
      trigger: 'eval',
    },
  )
  const by = `system:serviceaccount:${namespace}:${name}`
  await services.store.transact(async (tx) => {
    const at = services.now()
    await requestEvaluationIn(tx, { suite, agent, namespaceUid, revision, prepared, origin: 'gate', by, at })
  })
}
