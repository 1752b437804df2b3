import { Type } from 'typebox'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { cost } from '#plugins/cost/index.ts'
import { runs } from '#plugins/runs/index.ts'
import { summaryEndpoint } from './summary.ts'

/** What needs a person, over all plugins. */
export const overviewPlugin = definePlugin({
  contract: 1,
  name: 'overview',
  summary: 'What waits for a person, what is unwell, and what it costs.',
  needs: { runs: optional(runs), cost: optional(cost) },
  settings: Type.Object({}, { additionalProperties: false }),
  requires: ['store'],
  create: ({ store, now }, _settings, needs) => ({ store, now, ...needs }),
  routes: (services) => [summaryEndpoint(services)],
  console: [{ id: 'home', title: 'Home', section: '', path: '/', capability: 'overview' }],
})
