import type { AgentPromptSource } from '#plugins/agents/contract/points.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import type { PromptServices } from '../services/create-services.ts'
import { findPrompt, findVersion, versionOf } from '../store/read-prompt.ts'
import { fillPrompt } from './fill-prompt.ts'

/** The version of `spec.prompt` with its variables replaced, or why it cannot be used and what to do. */
export async function resolvePrompt(
  { store }: Pick<PromptServices, 'store'>,
  { metadata: { namespace = '' }, spec }: AgentDeploymentObject,
): ReturnType<AgentPromptSource['resolve']> {
  const { name, label, version: wanted, variables = {} } = spec.prompt ?? { name: '' }
  const target = `${PROMPT_KIND} ${namespace}/${name} (spec.prompt)`
  const found = await findPrompt(store, { namespace, name })
  if (found === undefined)
    return { reason: 'NotFound', message: `${target} does not exist: create it, or change spec.prompt.name.` }
  const version = versionOf(found, { version: wanted, label })
  if (version === undefined)
    return { reason: 'PromptLabelNotFound', message: `${target} has no label ${label}: move it to a version.` }
  const fields = await findVersion(store, found, version)
  if (fields === undefined)
    return { reason: 'PromptVersionNotFound', message: `${target} has no version ${version}: name another one.` }
  const filled = fillPrompt(fields, variables)
  if ('reason' in filled) return { reason: filled.reason, message: `${target}, version ${version}: ${filled.message}.` }
  const { systemPrompt, messages } = filled
  return {
    name,
    version,
    ...(label === undefined ? {} : { label }),
    digest: fields.contentHash,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(messages.length === 0 ? {} : { messages }),
    ...(fields.config === undefined ? {} : { params: fields.config }),
  }
}
