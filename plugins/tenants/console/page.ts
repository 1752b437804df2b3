import { defineKindPages } from '#ui/kinds/kind-pages.ts'
import { tenantsText as text } from './text.ts'

/** Pages of tenants. */
export const tenantPages = defineKindPages('tenants', {
  path: '/tenants',
  api: ['tenants'],
  title: text.title,
  noun: text.noun,
  icon: 'person',
  about: text.about,
  isClusterWide: true,
  columns: [
    { title: text.columns.displayName, field: 'spec.displayName' },
    { title: text.columns.namespaces, field: 'status.namespaces' },
    { title: text.columns.spend, field: 'spec.quota.spend.amount', align: 'end' },
    { title: text.columns.window, field: 'spec.quota.spend.window' },
    { title: text.columns.callsPerMinute, field: 'spec.quota.requestsPerMinute', align: 'end' },
  ],
})
