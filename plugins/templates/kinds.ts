import { crud } from '#core/plugin/crud.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'

/** Templates; their routes contain the target kind, so they are not CRUD routes. */
export const templateKind = crud(AgentTemplate, {
  verbs: [],
  sample: {
    title: 'Greeter',
    tags: ['demo'],
    template: { metadata: { labels: { a: 'b' } }, spec: { model: { route: 'mock' }, anything: [1] } },
  },
})
