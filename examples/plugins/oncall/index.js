import { Type, definePlugin } from '@mesh.dev/mesh/plugin'
import { pageForFailures } from './consumers.js'
import { acknowledged, openPages, paged } from './events.js'
import { followRotas, rotas } from './kinds.js'
import { acknowledgePage, listPages, printPages } from './pages.js'
import { escalate, sendPage } from './paging.js'

export default definePlugin({
  contract: 1,
  name: 'oncall',
  summary: 'Pages people when a run fails.',
  settings: Type.Object({
    escalateSeconds: Type.Integer({ minimum: 1, default: 900, description: 'Time until the next person is paged.' }),
  }),
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  kinds: [rotas],
  events: [paged, acknowledged],
  commands: [printPages],
  console: [
    {
      id: 'oncall',
      title: 'Pages',
      section: 'Observe',
      path: '/x/oncall',
      capability: 'oncall',
      entry: new URL('./console/pages.json', import.meta.url),
    },
  ],
  create: (core, settings) => ({ ...core, ...settings }),
  projections: () => [openPages],
  reconcilers: (services) => [followRotas(services)],
  consumers: (services) => [pageForFailures(services)],
  tasks: (services) => [sendPage(services)],
  jobs: (services, { role }) => (role === 'worker' ? [escalate(services)] : []),
  routes: (services) => [listPages(services), acknowledgePage(services)],
})
