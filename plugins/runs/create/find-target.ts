import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { runErrors } from '../contract/errors.ts'
import { previewRuleOf } from '../previews/preview-rule.ts'
import type { PreviewRule } from '../previews/preview-rule.ts'
import type { AgentRef, NewRun, Target } from './create-run.ts'

// How long a new agent is awaited in the index; longer if the agent is known to exist, since the index is slower under load.
const observeMs = 2_000
const existingMs = 10_000

/** Whether the cluster has an agent. It is unknown where the caller may not read it. */
export type AgentExistence = 'exists' | 'absent' | 'unknown'

/** An agent with its namespace, and what previews of its runs may show. */
export interface FoundAgent {
  readonly agent: AgentRef
  readonly namespaceUid: string
  readonly previews: PreviewRule
}

/**
 * Resolves a name to a uid by the object index, since the caller may not be allowed to read the agent. The index lags behind a fresh create, so the
 * function waits unless the cluster has no such agent. An agent that exists is never `not_found`.
 */
export async function findAgent(
  observed: ObservedReads,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  readExistence: () => Promise<AgentExistence> = async () => 'unknown',
): Promise<FoundAgent> {
  const find = (waitMs?: number) => observed.find('AgentDeployment', namespace, name, waitMs)
  const known = await find()
  const existence = known ? 'exists' : await readExistence()
  const waitMs = existence === 'exists' ? existingMs : observeMs
  const agent = known ?? (existence === 'absent' ? undefined : await find(waitMs))
  // The namespace of an agent is nearly always observed before it.
  const namespaceUid = agent && (agent.namespaceUid ?? (await observed.namespaceUid(namespace, waitMs)))
  if (agent && namespaceUid !== undefined)
    return { agent: { namespace, name, uid: agent.uid }, namespaceUid, previews: previewRuleOf(agent.spec) }
  if (existence === 'exists')
    throw new Fail(runErrors.agent_not_observed, `${name} in ${namespace} is not observed yet.`)
  throw noAgent(namespace, name)
}

/** Uid of the namespace of a run without an agent. */
export async function findNamespace(observed: ObservedReads, namespace: string): Promise<string> {
  const uid = await observed.namespaceUid(namespace, observeMs)
  if (uid === undefined) throw noNamespace(namespace)
  return uid
}

/** The agent or namespace that a new run requires: it may be deleted after its name was resolved. */
export function targetOf({
  agent,
  executor,
  namespaceUid,
}: Pick<NewRun, 'agent' | 'executor' | 'namespaceUid'>): Target {
  return {
    uid: agent?.uid ?? namespaceUid,
    missing: () =>
      agent === undefined ? noNamespace(executor?.namespace ?? '') : noAgent(agent.namespace, agent.name),
  }
}

function noAgent(namespace: string, name: string): Fail {
  return new Fail('not_found', `There is no agent ${name} in ${namespace}.`)
}

function noNamespace(namespace: string): Fail {
  return new Fail('not_found', `There is no namespace ${namespace}.`)
}
