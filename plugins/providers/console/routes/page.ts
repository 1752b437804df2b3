import { defineKindPages } from '#ui/kinds/kind-pages.ts'
import { routesText as text } from './text.ts'

/** Pages of model routes. */
export const modelRoutePages = defineKindPages(
  'modelroutes',
  {
    path: '/modelroutes',
    api: ['modelroutes'],
    title: text.title,
    noun: text.noun,
    icon: 'list',
    about: text.about,
    reportsTraffic: true,
  },
  async () => (await import('./route-parts.tsx')).routeParts,
)
