import { isLabel } from '#core/kube/names.ts'
import type { AgentPromptSource } from '#plugins/agents/contract/points.ts'
import { promptRevisionDeleted } from '../contract/events.ts'
import { promptResource } from '../contract/resources.ts'
import type { PromptServices } from '../services/create-services.ts'
import { findPrompt } from '../store/read-prompt.ts'
import { promptAuthorOf } from './prompt-author.ts'
import { resolvePrompt } from './resolve-prompt.ts'

/** Resolves prompts of agents: in a reconciliation, and for a caller whether they exist. */
export function createPromptSource(services: Pick<PromptServices, 'store'>): AgentPromptSource {
  const { created, updated, deleted, labelMoved } = promptResource.events
  return {
    resolve: (agent) => resolvePrompt(services, agent),
    authorOf: (agent) => promptAuthorOf(services, agent),
    find: async (caller, { namespace, name }) => {
      if (!isLabel(namespace)) return false
      const access = await caller.may('get', promptResource.names.resource, { namespace, name })
      if (access === undefined) return null
      return (await findPrompt(services.store, { namespace, name })) !== undefined
    },
    events: [created, updated, deleted, promptRevisionDeleted, ...(labelMoved === undefined ? [] : [labelMoved])],
  }
}
