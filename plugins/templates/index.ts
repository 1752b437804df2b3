import { Type } from 'typebox'
import { definePlugin } from '#core/plugin/plugin.ts'
import { templateEndpoints } from './endpoints.ts'
import { templateKind } from './kinds.ts'

/** The catalog: published templates, and recipes of the platform. */
export const templates = definePlugin({
  contract: 1,
  name: 'templates',
  summary: 'The catalog: published templates and recipes.',
  settings: Type.Object({}, { additionalProperties: false }),
  kinds: [templateKind],
  create: () => ({}),
  routes: () => templateEndpoints(),
  console: [{ id: 'templates', title: 'Templates', section: 'Build', path: '/templates', capability: 'templates' }],
})
