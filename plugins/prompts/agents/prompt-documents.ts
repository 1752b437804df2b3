import { parseLabel } from '#core/kube/names.ts'
import { writeStored } from '#core/http/store/routes/stored-services.ts'
import type { AgentDocumentOwner } from '#plugins/agents/contract/points.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import { readSpec } from '../content/read-body.ts'
import { savePrompt } from '../save/save-prompt.ts'
import type { PromptServices } from '../services/create-services.ts'

/** Stores the prompts of agent files: equal content is nothing new, so a repeat changes nothing. */
export function createPromptDocuments(services: PromptServices): AgentDocumentOwner {
  return {
    kind: PROMPT_KIND,
    create: async (caller, { namespace, name, spec }, { dryRun }) => {
      const sent = { namespace, name: parseLabel('/prompt/name', name), ...readSpec(spec) }
      const query = dryRun ? { dryRun: 'All' } : {}
      await savePrompt(services, caller, sent, (write) => writeStored(services, { query }, write))
    },
  }
}
