import { Type, definePlugin } from '@mesh.dev/mesh/plugin'
import { acknowledged, openPages, paged } from './events.js'
import { rotas } from './kinds.js'
import { acknowledgePage, listPages, printPages } from './pages.js'
import { escalate, pageForFailures, sendPage } from './paging.js'

const escalateSeconds = Type.Integer({ minimum: 1, default: 900, description: 'Time until the next person is paged.' })
const entry = new URL('./console/pages.json', import.meta.url)

export default definePlugin({
  contract: 1,
  name: 'oncall',
  summary: 'Pages people when a run fails.',
  settings: Type.Object({ escalateSeconds }),
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  kinds: [rotas],
  events: [paged, acknowledged],
  commands: [printPages],
  console: [{ id: 'oncall', title: 'Pages', section: 'Observe', path: '/x/oncall', capability: 'oncall', entry }],
  create: (core, settings) => ({ ...core, ...settings }),
  projections: () => [openPages],
  consumers: (services, { indexed }) => [pageForFailures(services, indexed)],
  tasks: (services, { indexed }) => [sendPage(services, indexed)],
  jobs: (services, { role }) => (role === 'worker' ? [escalate(services)] : []),
  routes: (services) => [listPages(services), acknowledgePage(services)],
})
