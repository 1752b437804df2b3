import { Fail } from '#core/errors/domain-error.ts'
import type { Caller } from '#core/cluster/caller.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { ObjectList } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { promptErrors } from '../contract/errors.ts'
import type { PromptServices } from '../services/create-services.ts'
import { findPrompt, versionOf } from '../store/read-prompt.ts'
import type { FoundPrompt } from '../store/read-prompt.ts'

const MOST_NAMED = 10

/** A call that deletes a prompt or one version. */
interface DeleteCall {
  readonly caller: Caller
  readonly params: { readonly ns: DnsLabel; readonly name: string }
  readonly signal: AbortSignal
}

/** Throws `prompt_in_use` with the agents that use a prompt, or one of its versions. Agents are listed as the caller. */
export async function refuseUsed(
  { store }: Pick<PromptServices, 'store'>,
  { caller, params: { ns: namespace, name }, signal }: DeleteCall,
  version: number | undefined,
): Promise<void> {
  const found = await findPrompt(store, { namespace, name })
  if (found === undefined) throw new Fail('not_found')
  const users = await listUsers(caller, found, { namespace, signal })
  const using = users.filter((agent) => version === undefined || version === usedVersion(found, agent))
  if (using.length === 0) return
  const named = using.slice(0, MOST_NAMED).map(({ metadata }) => metadata.name)
  const more = using.length > MOST_NAMED ? ` and ${using.length - MOST_NAMED} more` : ''
  const what = version === undefined ? name : `Version ${version} of ${name}`
  throw new Fail(promptErrors.prompt_in_use, `${what} is used by the agents ${named.join(', ')}${more}.`, {
    errors: named.map((agent) => ({ pointer: '', detail: `agent ${namespace}/${agent}` })),
  })
}

interface Where {
  readonly namespace: DnsLabel
  readonly signal: AbortSignal
}

async function listUsers(caller: Caller, { row }: FoundPrompt, { namespace, signal }: Where) {
  const users: AgentDeploymentObject[] = []
  let next: string | undefined
  do {
    const page: ObjectList<AgentDeploymentObject> = await caller.cluster.list<AgentDeploymentObject>(AgentDeployment, {
      namespace,
      limit: 500,
      ...(next === undefined ? {} : { continue: next }),
      signal,
    })
    users.push(...page.items.filter(({ spec }) => spec.prompt?.name === row.name))
    next = page.continue
  } while (next !== undefined)
  return users
}

function usedVersion(found: FoundPrompt, { spec }: AgentDeploymentObject): number | undefined {
  return versionOf(found, spec.prompt ?? {})
}
