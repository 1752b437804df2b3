import { defineKindPages } from '#ui/kinds/kind-pages.ts'
import { registriesText as text } from './text.ts'

/** Pages of agent registries. */
export const agentRegistryPages = defineKindPages('agentregistries', {
  path: '/agentregistries',
  api: ['agentregistries'],
  title: text.title,
  noun: text.noun,
  icon: 'stack',
  about: text.about,
  columns: [
    { title: text.columns.description, field: 'spec.description' },
    { title: text.columns.roles, field: 'spec.roles' },
    { title: text.columns.depth, field: 'spec.maxDepth', align: 'end' },
  ],
})
