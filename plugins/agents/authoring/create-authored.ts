import type { Access, Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'
import type { AgentDocument, AgentDocumentOwner } from '../contract/points.ts'
import { checkAgent } from './check-agent.ts'
import type { AuthoredAgent } from './new-agent.ts'

/** Options of a create. */
export interface CreateOptions {
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** Owners of documents that are no objects of the cluster. */
export type DocumentOwners = () => readonly AgentDocumentOwner[]

/**
 * Creates an agent with the caller's rights, after its other documents. The cluster validates the agent first, so that a refused agent leaves no
 * document. Throws `not_wired` for a document without an owner.
 */
export async function createAuthored(
  owners: DocumentOwners,
  caller: Caller,
  { agent, documents }: AuthoredAgent,
  options: CreateOptions,
): Promise<AgentDeploymentObject> {
  await checkAgent(caller, { namespace: agent.metadata.namespace ?? '', spec: agent.spec }, options.signal)
  const owned = documents.map((document) => ({ document, owner: ownerOf(owners(), document) }))
  if (owned.length > 0 && !options.dryRun) await send(caller, agent, { ...options, dryRun: true })
  for (const { document, owner } of owned) await owner.create(caller, document, options)
  return send(caller, agent, options)
}

/** Refuses an agent outside the namespace of a proof, or of another caller. */
export function requireProof(
  caller: Pick<Caller, 'username'>,
  access: Access<'create', 'agentdeployments'>,
  { metadata }: AgentDeploymentObject,
): void {
  parseName('metadata.name', metadata.name)
  const namespace = parseLabel('metadata.namespace', metadata.namespace ?? '')
  const isProof =
    access.verb === 'create' &&
    access.resource === AgentDeployment.plural &&
    access.group === undefined &&
    access.username === caller.username &&
    (access.name === undefined || access.name === metadata.name) &&
    (access.namespace === '' || access.namespace === namespace)
  if (!isProof) throw new Fail('forbidden', `The proof does not allow creating agents in namespace ${namespace}.`)
}

function ownerOf(owners: readonly AgentDocumentOwner[], { kind }: AgentDocument): AgentDocumentOwner {
  const owner = owners.find((one) => one.kind === kind)
  if (owner === undefined)
    throw new Fail('not_wired', 'Managed prompts are not configured on this installation: use systemPrompt.')
  return owner
}

function send(caller: Caller, agent: AgentDeploymentObject, options: CreateOptions): Promise<AgentDeploymentObject> {
  return caller.cluster.create<AgentDeploymentObject>(AgentDeployment, agent, {
    ...options,
    fieldManager: FIELD_MANAGER,
  })
}
