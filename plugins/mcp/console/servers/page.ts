import { defineKindPages } from '#ui/kinds/kind-pages.ts'
import { serversText as text } from './text.ts'

/** Pages of MCP servers. */
export const mcpServerPages = defineKindPages(
  'mcpservers',
  {
    path: '/mcpservers',
    api: ['mcpservers'],
    title: text.title,
    noun: text.noun,
    icon: 'server',
    createNeeds: 'mcp.register',
    about: text.about,
  },
  async () => (await import('./server-parts.tsx')).mcpServerParts,
)
