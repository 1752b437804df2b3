import { defineConsolePages } from '#ui/contract/page.ts'
import { kindRoutes } from '#ui/kinds/kind-pages.ts'
import { toolsText as text } from './text.ts'

/** Pages of the tools that agents may call: the catalog, bindings, registries of bindings. */
export const toolPages = defineConsolePages({
  id: 'tools',
  routes: [
    { path: '/tools', load: async () => (await import('./tools-page.tsx')).ToolsPage },
    ...kindRoutes(
      {
        path: '/tools/bindings',
        api: ['mcptoolbindings'],
        title: text.bindings.title,
        noun: text.bindings.noun,
        icon: 'tool',
        about: text.bindings.about,
        columns: [
          { title: text.columns.server, field: 'spec.serverRef.name' },
          { title: text.columns.tools, field: 'status.toolCount', align: 'end' },
          { title: text.columns.approvals, field: 'status.approvals', align: 'end' },
        ],
      },
      async () => ({ ListBar: (await import('./tool-views.tsx')).BindingViews }),
    ),
    ...kindRoutes(
      {
        path: '/tools/registries',
        api: ['toolregistries'],
        title: text.registries.title,
        noun: text.registries.noun,
        icon: 'stack',
        about: text.registries.about,
        columns: [
          { title: text.columns.bindings, field: 'spec.bindings' },
          { title: text.columns.tools, field: 'status.toolCount', align: 'end' },
        ],
      },
      async () => ({ ListBar: (await import('./tool-views.tsx')).RegistryViews }),
    ),
  ],
})
