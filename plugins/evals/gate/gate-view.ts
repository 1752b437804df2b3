import { parseLabel } from '#core/kube/names.ts'
import type { Store } from '#core/event-store/store.ts'
import type { AgentEvalGate } from '#plugins/agents/contract/points.ts'
import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import type { EvalTables } from '../contract/tables.ts'
import { requiredScore } from '../start/new-evaluation.ts'
import { readOfRevision } from '../store/gate-state.ts'
import type { GateState } from '../store/gate-state.ts'
import { readOverrides } from '../store/overrides.ts'
import { findSuite } from './gate.ts'

/** Shows what the gate knows: in the status of an agent, and in its versions. */
export function createGateView({ store }: { readonly store: Store }): AgentEvalGate {
  return {
    statusOf: async (agent, revision, cluster) => {
      const { namespace = '', uid: agentUid = '' } = agent.metadata
      const { evalGate: gate } = agent.spec
      // A condition of the agent names a suite that is missing.
      const suite = gate && (await findSuite(cluster, namespace, gate.suiteRef.name))
      if (suite === undefined) return undefined
      const of = { agentUid, revision, number: undefined }
      const state = await readOfRevision(store.reader<EvalTables>(), of, suite.metadata.uid)
      const score = state.newest?.score
      return {
        phase: phaseOf(state),
        ...(typeof score === 'number' ? { score } : {}),
        minScore: state.newest?.min_score ?? requiredScore(suite, agent),
        suiteRef: suite.metadata.name,
        revision,
      }
    },
    overridesOf: async (caller, { metadata: { namespace = '', uid = '' } }) => {
      const may = await caller.may('get', 'evalresults', { namespace: parseLabel('namespace', namespace) })
      if (may === undefined) return new Map()
      const rows = await readOverrides(store.reader<EvalTables>(), [uid])
      return new Map(
        rows.map(({ revision_name: name, created_by: by, created_at: at, reason }) => [
          name,
          { by, at: at.toISOString(), reason },
        ]),
      )
    },
  }
}

type Phase = NonNullable<AgentDeploymentStatus['evalGate']>['phase']

function phaseOf({ newest, overridden }: GateState): Phase {
  const phase = newest?.phase ?? 'Pending'
  if (phase === 'Passed') return phase
  if (overridden) return 'Overridden'
  return phase === 'Cancelled' ? 'Pending' : phase
}
