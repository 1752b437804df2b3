import type { StateContext } from '#core/plugin/role-contexts.ts'
import type { Store } from '#core/event-store/store.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseRef } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { readRevision } from '../store/internal/content.ts'
import { agentResource } from './agent-resource.ts'
import { judgeReadiness } from './judge-readiness.ts'
import type { JudgedAgent, WaitVerdict } from './judge-readiness.ts'

const readMs = 3_000

/** Services of the state role that are used here. */
interface ReadinessServices {
  readonly core: { readonly now: () => Date }
  readonly state: Pick<StateContext, 'cluster'>
  readonly store: Pick<Store, 'reader'>
}

/** Reads the agent of a run with the identity of the state role, since a worker has none, and judges whether waiting can help. */
export async function readReadiness({ core, state, store }: ReadinessServices, run: SelectedRun): Promise<WaitVerdict> {
  if (run.agent_name === null) throw new Fail('not_found', 'The run has no agent.')
  const ref = parseRef({ namespace: run.namespace, name: run.agent_name }, ['agent namespace', 'agent'])
  const agent = await state.cluster
    .get<JudgedAgent>(agentResource, ref, { signal: AbortSignal.timeout(readMs) })
    .catch((error: unknown) => {
      if (isStatus(error, 404)) return undefined
      throw error
    })
  return judgeReadiness(
    agent,
    { uid: run.agent_uid, revision: await readRevision(store.reader<RunsTables>(), run.id) },
    core.now(),
  )
}
