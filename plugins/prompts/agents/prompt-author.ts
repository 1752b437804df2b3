import { findRevision, lastMoverOf } from '#core/http/store/objects/revisions.ts'
import type { AgentPromptSource } from '#plugins/agents/contract/points.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { promptResource } from '../contract/resources.ts'
import type { PromptServices } from '../services/create-services.ts'
import { findPrompt, labelOf, versionOf } from '../store/read-prompt.ts'

/** Who moved the label that `spec.prompt` follows, or without a label the author of the version. */
export async function promptAuthorOf(
  { store }: Pick<PromptServices, 'store'>,
  { metadata: { namespace = '' }, spec }: AgentDeploymentObject,
): ReturnType<AgentPromptSource['authorOf']> {
  const { name, label, version: wanted } = spec.prompt ?? { name: '' }
  const found = await findPrompt(store, { namespace, name })
  if (found === undefined) return undefined
  const choice = { version: wanted, label }
  const { names } = promptResource
  const followed = labelOf(found, choice)
  if (followed !== undefined) return lastMoverOf(store.reader(), names, found.row.id, followed)
  const version = versionOf(found, choice)
  return version === undefined
    ? undefined
    : (await findRevision(store.reader(), names, found.row.id, version))?.created_by
}
