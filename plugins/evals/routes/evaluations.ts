import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { parseName } from '#core/kube/names.ts'
import { nothing } from '#schemas/api/common.ts'
import { Evaluation, EvaluationBody, EvaluationParams } from '#schemas/api/evaluations.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import { evalErrors } from '../contract/errors.ts'
import type { EvalTables } from '../contract/tables.ts'
import { EVALUATION_KIND } from '../execute/step.ts'
import { endEvaluationIn } from '../execute/finish.ts'
import type { EvalsServices } from '../contract/services.ts'
import { requestEvaluationIn, runningRevisions } from '../start/new-evaluation.ts'
import type { RunningRevision } from '../start/new-evaluation.ts'
import { findEvaluation, lockEvaluation } from '../store/evaluations.ts'
import { toEvaluation } from './to-evaluation.ts'

const at = { in: 'path', field: 'ns' } as const
const examples = { newest: { summary: 'The candidate of an agent', value: { agent: 'hello' } } }

/** `POST /api/evalsuites/{ns}/{name}/runs`. */
export function startEndpoint(services: EvalsServices): AnyEndpoint {
  const { runs, store, now, core } = services
  return endpoint({
    method: 'POST',
    url: '/evalsuites/:ns/:name/runs',
    id: 'createEvalSuiteRun',
    docs: { examples },
    summary: 'Create an evaluation of a revision of an agent by a suite.',
    authz: { kind: 'review', verb: 'create', resource: 'evalsuites/runs', namespace: at, name: 'name' },
    audit: { action: 'evaluate', resourceKind: EvalSuite.kind },
    body: EvaluationBody,
    response: { 202: Evaluation },
    handle: async ({ caller, params: { ns: namespace, name }, body, signal, reply }) => {
      const agentName = parseName('/agent', body.agent)
      const invoke = await caller.review('create', 'agentdeployments/invoke', { namespace, name: agentName })
      const suite = await caller.cluster.get<EvalSuiteObject>(EvalSuite, { namespace, name }, { signal })
      const ref = { namespace, name: agentName }
      const agent = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal })
      const revision = chooseRevision(agent, body.revision)
      const namespaceUid = await core.observed.namespaceUid(namespace, 2_000)
      if (namespaceUid === undefined) throw new Fail('not_found')
      const prepared = await runs.prepare(caller, invoke, {
        executor: { kind: EVALUATION_KIND, namespace, object: agentName },
        input: { suite: name, agent: agentName, revision: revision.number },
        trigger: 'eval',
      })
      const by = caller.username
      await store.transact((tx) =>
        requestEvaluationIn(tx, { suite, agent, namespaceUid, revision, prepared, origin: 'request', by, at: now() }),
      )
      const made = await findEvaluation(store.reader<EvalTables>(), prepared.runId)
      if (made === undefined) throw new Fail('not_found')
      reply.code(202)
      return toEvaluation(made, undefined)
    },
  })
}

function chooseRevision(agent: AgentDeploymentObject, number: number | undefined): RunningRevision {
  const running = runningRevisions(agent)
  const found = number === undefined ? running[0] : running.find((one) => one.number === number)
  if (found !== undefined) return found
  const { namespace = '', name } = agent.metadata
  throw new Fail(
    evalErrors.revision_not_evaluable,
    `${namespace}/${name} runs no such revision: neither does it serve nor is it a candidate.`,
  )
}

/** `DELETE /api/evalsuites/{ns}/{name}/runs/{id}`. */
export function cancelEndpoint({ store, now }: EvalsServices): AnyEndpoint {
  return endpoint({
    method: 'DELETE',
    url: '/evalsuites/:ns/:name/runs/:id',
    id: 'cancelEvalSuiteRun',
    summary: 'Cancel an evaluation, with the runs of its cases.',
    authz: { kind: 'review', verb: 'delete', resource: 'evalsuites/runs', namespace: at, name: 'name' },
    audit: { action: 'cancel', resourceKind: EvalSuite.kind },
    params: EvaluationParams,
    response: { 204: nothing },
    handle: async ({ access, params: { name, id }, reply }) => {
      const isKnown = await store.transact(async (tx) => {
        const evaluation = await lockEvaluation(tx.tables<EvalTables>(), id)
        if (evaluation?.namespace !== access.namespace || evaluation.suite !== name) return false
        const ends = { phase: 'Cancelled', reason: 'Cancelled', message: 'A person cancelled it.' } as const
        await endEvaluationIn(tx, evaluation, { ...ends, at: now() })
        return true
      })
      if (!isKnown) throw new Fail('not_found')
      reply.code(204)
      return undefined
    },
  })
}
