import { accountActor } from '#core/event-store/event.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { parseRef } from '#core/kube/names.ts'
import { GateOverride, OverrideBody } from '#schemas/api/evaluations.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import { evalErrors } from '../contract/errors.ts'
import { gateOverridden } from '../contract/events.ts'
import type { EvalTables } from '../contract/tables.ts'
import type { EvalsServices } from '../contract/services.ts'
import { insertOverride } from '../store/overrides.ts'
import { runningRevisions } from '../start/new-evaluation.ts'

const examples = {
  reviewed: {
    summary: 'A revision that was reviewed by hand',
    value: { agent: 'hello', revision: 3, reason: 'The dataset lacks the new product; reviewed by hand.' },
  },
}

/** `POST /api/evalsuites/{ns}/{name}/override`: the only way past a gate. */
export function overrideEndpoint(services: EvalsServices): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/evalsuites/:ns/:name/override',
    id: 'overrideEvalSuite',
    docs: { examples },
    summary: 'Override the gate of an agent: a revision serves although it has not passed.',
    authz: {
      kind: 'review',
      verb: 'override',
      resource: 'evalsuites',
      namespace: { in: 'path', field: 'ns' },
      name: 'name',
    },
    audit: { action: 'override', resourceKind: EvalSuite.kind },
    body: OverrideBody,
    response: { 200: GateOverride },
    handle: async ({ caller, access: { namespace }, params: { name: suite }, body, signal }) => {
      const ref = parseRef({ namespace, name: body.agent }, [':ns', '/agent'])
      const agent = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal })
      if (agent.spec.evalGate?.suiteRef.name !== suite) throw new Fail(evalErrors.not_gated)
      return override(services, { agent, suite, revision: body.revision, reason: body.reason, by: caller.username })
    },
  })
}

interface OverrideRequest {
  readonly agent: AgentDeploymentObject
  readonly suite: string
  readonly revision: number
  readonly reason: string
  readonly by: string
}

async function override(
  { store, now, core }: EvalsServices,
  { agent, suite, revision, reason, by }: OverrideRequest,
): Promise<object> {
  const { namespace = '', name, uid = '' } = agent.metadata
  const found = runningRevisions(agent).find(({ number }) => number === revision)
  if (found === undefined)
    throw new Fail(evalErrors.revision_not_evaluable, `${namespace}/${name} runs no revision ${revision}.`)
  const namespaceUid = (await core.observed.namespaceUid(namespace, 2_000)) ?? ''
  const at = now()
  const row = { namespace, namespace_uid: namespaceUid, suite, agent: name, reason, created_by: by, created_at: at }
  await store.transact(async (tx) => {
    const of = { agent_uid: uid, revision, revision_name: found.name }
    if (!(await insertOverride(tx.tables<EvalTables>(), { ...row, ...of }))) return
    const subject = { namespace, namespaceUid, kind: EvalSuite.kind, name: suite }
    const data = { agent: name, agentUid: uid, revision, decisionReason: reason }
    await tx.append(`evals/overrides/${uid}`, 'any', [{ type: gateOverridden, actor: accountActor(by), subject, data }])
  })
  return { agent: name, revision, reason, by, at: at.toISOString() }
}
