/** The words of the pages of tenants, in English. */
export const tenantsText = {
  title: 'Tenants',
  noun: 'tenant',
  about: 'A tenant is a group of namespaces with common quotas.',
  columns: {
    displayName: 'Display name',
    namespaces: 'Namespaces',
    spend: 'Spend',
    window: 'Window',
    callsPerMinute: 'Calls per minute',
  },
} as const
