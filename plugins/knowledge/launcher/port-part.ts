import { isObject } from '#core/json/is-object.ts'
import { serveRoutes } from '#launcher/contract/http/port.ts'
import { definePortPart } from '#launcher/contract/listener.ts'
import type { Settings } from '#launcher/contract/settings/settings.ts'
import { createKnowledgeHandlers } from './handlers.ts'
import { searchRoutes } from './routes.ts'
import { knowledgeBasesOf, searchTool } from './search-tool.ts'

/** Searches on the port of memory, and the tool of the built-in loop. */
export const knowledgePortPart = definePortPart({
  port: 'memory',
  routes: searchRoutes,
  wanted: (settings) => settings.memoryUrl !== undefined && isBound(settings),
  start({ settings }, calls) {
    const bases = knowledgeBasesOf(settings.agent.plugins['knowledge'])
    return {
      routes: serveRoutes(searchRoutes, createKnowledgeHandlers(calls, isBound(settings))),
      tools: bases.length === 0 ? [] : [searchTool(calls, bases)],
    }
  },
})

function isBound({ agent }: Pick<Settings, 'agent'>): boolean {
  return isObject(agent.plugins['knowledge'])
}
