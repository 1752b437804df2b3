import type { Observed } from '#core/cluster/observed-objects.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { AgentRef, NewRun, Target } from './create-run.ts'

// Longest time until a new agent is observed.
const observeMs = 2_000

/**
 * Resolves a name to a uid by the object index, since the caller may not be allowed to read the agent. The index lags behind a fresh create:
 * it is waited for unless `mayExist` says that the cluster has no such agent.
 */
export async function findAgent(
  observed: Observed,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  mayExist: () => Promise<boolean> = async () => true,
): Promise<{ readonly agent: AgentRef; readonly namespaceUid: string }> {
  const find = (waitMs?: number) => observed.find('AgentDeployment', namespace, name, waitMs)
  const agent = (await find()) ?? ((await mayExist()) ? await find(observeMs) : undefined)
  // The namespace of an agent is nearly always observed before it.
  const namespaceUid = agent && (agent.namespaceUid ?? (await observed.namespaceUid(namespace, observeMs)))
  if (!agent || namespaceUid === undefined) throw noAgent(namespace, name)
  return { agent: { namespace, name, uid: agent.uid }, namespaceUid }
}

/** Uid of the namespace of a run without an agent. */
export async function findNamespace(observed: Observed, namespace: string): Promise<string> {
  const uid = await observed.namespaceUid(namespace, observeMs)
  if (uid === undefined) throw noNamespace(namespace)
  return uid
}

/** The agent or namespace of a run: it may be deleted after its name was resolved. */
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
