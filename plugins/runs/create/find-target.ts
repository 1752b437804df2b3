import type { Observed } from '#core/cluster/observed-objects.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { holdObject } from '../store/internal/run-rows.ts'
import type { Admit, AgentRef, NewRun } from './create-run.ts'

// Longest time until a new agent is observed.
const observeMs = 2_000

/** Resolves a name to a uid by the object index, since the caller may not be allowed to read the agent. */
export async function findAgent(
  observed: Observed,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<{ readonly agent: AgentRef; readonly namespaceUid: string }> {
  const agent = await observed.find('AgentDeployment', namespace, name, observeMs)
  const namespaceUid = agent && (await observed.namespaceUid(namespace, observeMs))
  if (!agent || namespaceUid === undefined) throw noAgent(namespace, name)
  return { agent: { namespace, name, uid: agent.uid }, namespaceUid }
}

/** Uid of the namespace of a run without an agent. */
export async function findNamespace(observed: Observed, namespace: string): Promise<string> {
  const uid = await observed.namespaceUid(namespace, observeMs)
  if (uid === undefined) throw noNamespace(namespace)
  return uid
}

/** Refuses a run whose agent or namespace was deleted after its name was resolved. */
export function admitTarget({ agent, executor, namespaceUid = '' }: Partial<NewRun>): Admit {
  return async (db) => {
    if (await holdObject(db, agent?.uid ?? namespaceUid)) return
    throw agent === undefined ? noNamespace(executor?.namespace ?? '') : noAgent(agent.namespace, agent.name)
  }
}

function noAgent(namespace: string, name: string): Fail {
  return new Fail('not_found', `There is no agent ${name} in ${namespace}.`)
}

function noNamespace(namespace: string): Fail {
  return new Fail('not_found', `There is no namespace ${namespace}.`)
}
