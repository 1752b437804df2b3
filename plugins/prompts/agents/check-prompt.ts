import { isLabel } from '#core/kube/names.ts'
import type { RequirementCheck } from '#plugins/agents/contract/points.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import { promptResource } from '../contract/resources.ts'
import type { PromptServices } from '../services/create-services.ts'
import { resolvePrompt } from './resolve-prompt.ts'

/** Reports whether the version of an agent's prompt exists and its variables have values. The prompt itself is checked as a reference. */
export function createPromptCheck(services: Pick<PromptServices, 'store'>): RequirementCheck {
  return async (agent, caller) => {
    const { namespace = '' } = agent.metadata
    const { prompt } = agent.spec
    if (prompt === undefined || !isLabel(namespace)) return []
    const access = await caller.may('get', promptResource.names.resource, { namespace, name: prompt.name })
    const resolved = access === undefined ? undefined : await resolvePrompt(services, agent)
    if (resolved === undefined || !('reason' in resolved) || resolved.reason === 'NotFound') return []
    const which = prompt.label ?? prompt.version ?? 'default'
    const name = `${prompt.name}@${which}`
    return [{ kind: PROMPT_KIND, namespace, name, status: 'missing', fix: resolved.message }]
  }
}
