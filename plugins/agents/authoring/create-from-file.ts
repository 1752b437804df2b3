import type { Caller } from '#core/cluster/caller.ts'
import { KubeError } from '#core/kube/status.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { FiledAgent } from './read-agent-file.ts'
import { createAuthored } from './create-authored.ts'
import type { CreateOptions, DocumentOwners } from './create-authored.ts'

/**
 * Creates the agents of a file with the caller's rights. Kubernetes has no transactions, so several agents are validated by a dry run first. A later
 * error names the agents that were created before it.
 */
export async function createFromFile(
  owners: DocumentOwners,
  caller: Caller,
  agents: readonly FiledAgent[],
  options: CreateOptions,
): Promise<AgentDeploymentObject[]> {
  if (agents.length > 1 && !options.dryRun)
    for (const one of agents) await create(owners, caller, one, { ...options, dryRun: true })
  const made: AgentDeploymentObject[] = []
  for (const one of agents) {
    try {
      made.push(await create(owners, caller, one, options))
    } catch (error) {
      throw options.dryRun ? error : afterOthers(error, made)
    }
  }
  return made
}

async function create(
  owners: DocumentOwners,
  caller: Caller,
  one: FiledAgent,
  options: CreateOptions,
): Promise<AgentDeploymentObject> {
  try {
    return await createAuthored(owners, caller, one, options)
  } catch (error) {
    throw error instanceof KubeError ? one.placed(error) : error
  }
}

function afterOthers(error: unknown, made: readonly AgentDeploymentObject[]): unknown {
  if (!(error instanceof KubeError) || made.length === 0) return error
  const names = made.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).join(', ')
  const { status, reason, message, details, auditId } = error
  return new KubeError(status, reason, `${message}; created before it: ${names}`, { details, auditId })
}
