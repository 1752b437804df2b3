import type { UserInfo } from '#core/cluster/caller.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { agentOfServiceAccount } from '#schemas/names/agent-names.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { mayDelegate } from '#schemas/names/delegates.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { agentResource } from '../launchers/agent-resource.ts'
import { runErrors } from '../contract/errors.ts'

/**
 * Throws `delegate_not_allowed` unless the spec of the calling agent allows the target (PODS7, ADR 0022). The current spec in the
 * cluster decides, not the launcher or the running revision. `agentUid` is the agent of the parent run.
 */
export async function checkDelegate(
  state: Pick<StateContext, 'cluster'>,
  pod: Pick<UserInfo, 'username'>,
  target: AgentName,
  agentUid: string | null | undefined,
): Promise<void> {
  const own = agentOfServiceAccount(pod.username)
  if (!own) throw new Fail(runErrors.delegate_not_allowed, 'Only agents delegate.')
  const ref = { namespace: parseLabel('agent namespace', own.namespace), name: parseName('agent', own.name) }
  const agent = await state.cluster.get(agentResource, ref).catch((error: unknown) => {
    if (isStatus(error, 404)) throw new Fail(runErrors.delegate_not_allowed, 'The calling agent does not exist.')
    throw error
  })
  if (agentUid !== undefined && agent.metadata.uid !== agentUid)
    throw new Fail(runErrors.delegate_not_allowed, 'The run belongs to a deleted agent of that name.')
  const { delegates } = agent.spec as AgentDeploymentSpec
  if (!mayDelegate({ namespace: own.namespace, delegates }, target))
    throw new Fail(
      runErrors.delegate_not_allowed,
      `${target.namespace}/${target.name} is not among the delegates of the agent.`,
    )
}
