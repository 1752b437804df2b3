import { DEFAULT_QUOTA } from '#core/http/store/declared/stored-spec.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { storeCrud } from '#core/plugin/store-crud.ts'
import { agentDocument, agentPrompt, agentRequirement } from '#plugins/agents/contract/points.ts'
import { createPromptCheck } from './agents/check-prompt.ts'
import { createPromptDocuments } from './agents/prompt-documents.ts'
import { createPromptSource } from './agents/prompt-source.ts'
import { promptErrors } from './contract/errors.ts'
import { promptRevisionDeleted } from './contract/events.ts'
import { promptResource } from './contract/resources.ts'
import { promptSettings } from './contract/settings.ts'
import { diffRoute } from './routes/diff-route.ts'
import { writeRoutes } from './routes/write-routes.ts'
import { createServices } from './services/create-services.ts'
import type { PromptServices } from './services/create-services.ts'

/** Prompts: immutable versions, and labels that move between them. */
export const prompts = definePlugin({
  contract: 1,
  name: 'prompts',
  summary: 'Prompts: immutable versions, labels with a history, and the agents that follow them.',
  settings: promptSettings,
  requires: ['store'],
  stored: [
    storeCrud(promptResource, {
      operations: ['list', 'get'],
      // Without services only the declaration is read.
      quota: ({ quota = DEFAULT_QUOTA }: Partial<PromptServices>) => quota,
      protects: ({ protects }: Partial<PromptServices>) => protects ?? [],
    }),
  ],
  events: [promptRevisionDeleted],
  errors: promptErrors,
  create: createServices,
  contributions: (services) => [
    contribute(agentPrompt, createPromptSource(services)),
    contribute(agentDocument, createPromptDocuments(services)),
    contribute(agentRequirement, createPromptCheck(services)),
  ],
  routes: (services) => [...writeRoutes(services), diffRoute(services)],
  console: [{ id: 'prompts', title: 'Prompts', section: 'Build', path: '/prompts', capability: 'prompts' }],
})
