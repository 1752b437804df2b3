import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { parseRef } from '#core/kube/names.ts'
import { runErrors } from '../contract/errors.ts'
import type { PrepareRequest } from '../contract/prepared-run.ts'
import { agentResource } from '../launchers/agent-resource.ts'
import { isRevisionAbsent } from '../launchers/judge-readiness.ts'
import type { JudgedAgent } from '../launchers/judge-readiness.ts'

const readMs = 3_000

/**
 * Refuses a run that names a revision without pods. An agent that cannot be read here, such as one that its caller may only invoke, is judged by the worker
 * when the run is due.
 */
export async function refuseAbsentRevision(
  cluster: KubeClient,
  { agent, revision }: Pick<PrepareRequest, 'agent' | 'revision'>,
): Promise<void> {
  if (agent === undefined || revision === undefined) return
  const ref = parseRef(agent, ['agent namespace', 'agent'])
  const found = await cluster
    .get<JudgedAgent>(agentResource, ref, { signal: AbortSignal.timeout(readMs) })
    .catch(() => undefined)
  if (found === undefined || !isRevisionAbsent(found, revision)) return
  const message = `Revision ${revision} of ${agent.namespace}/${agent.name} neither serves nor is a candidate.`
  throw new Fail(runErrors.revision_not_running, message)
}
