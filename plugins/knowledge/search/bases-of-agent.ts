import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { Reader } from '#core/event-store/store.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'
import type { KnowledgeBaseObject } from '#schemas/crds/knowledge-base.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import { knowledgeErrors } from '../contract/errors.ts'
import { findBases } from '../store/bases.ts'
import type { Base } from '../store/bases.ts'
import type { KnowledgeTables } from '../contract/tables.ts'

/** Sources of the state role: objects of the cluster, read with its own identity, and the store. */
export interface AgentBases {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly db: Reader<KnowledgeTables>
}

/** An agent and the knowledge bases that it may search. */
export interface SearchingAgent {
  readonly agent: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly bases: readonly Base[]
}

/**
 * Knowledge bases that an agent may search: those of its spec that exist and allow its namespace. All objects are read per call: a removed reference
 * or permission ends the access immediately. Throws `forbidden` for a removed agent, `unknown_knowledge_base` for any other name.
 */
export async function basesOfAgent(
  { cluster, db }: AgentBases,
  account: AgentName,
  wanted: string | undefined,
): Promise<SearchingAgent> {
  const agent = await findNamedObject<AgentDeploymentObject>(cluster, AgentDeployment, account)
  if (agent === undefined) throw new Fail('forbidden', 'This service account does not belong to an agent.')
  const named = (agent.spec.knowledge ?? []).filter(({ name }) => wanted === undefined || name === wanted)
  const objects = await Promise.all(
    named.map(({ name, namespace = account.namespace }) =>
      readAllowed(cluster, account.namespace, { namespace, name }),
    ),
  )
  const uids = objects.flatMap((object) => object?.metadata.uid ?? [])
  if (wanted !== undefined && uids.length === 0) throw new Fail(knowledgeErrors.unknown_knowledge_base)
  return {
    agent: { namespace: account.namespace, name: account.name, uid: agent.metadata.uid ?? '' },
    bases: await findBases(db, uids),
  }
}

interface Named {
  readonly namespace: string
  readonly name: string
}

async function readAllowed(
  cluster: Pick<KubeClient, 'get'>,
  from: string,
  ref: Named,
): Promise<KnowledgeBaseObject | undefined> {
  const object = await findNamedObject<KnowledgeBaseObject>(cluster, KnowledgeBase, ref)
  return object !== undefined && mayRefer(from, ref.namespace, object.spec.allowedNamespaces) ? object : undefined
}
