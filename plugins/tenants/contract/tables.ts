import type { ColumnType } from 'kysely'
import type { TenantQuota } from './events.ts'

/** One tenant; only the projection writes it. */
export interface TenantQuotaRow {
  uid: string
  name: string
  /** Read as a value, written as a JSON string. */
  quota: ColumnType<TenantQuota, string, string>
}

/** A namespace to which the quota of a tenant applies; only the projection writes it. */
export interface TenantNamespaceRow {
  namespace: string
  uid: string
}

/** Tables of the plugin. */
export type TenantsTables = {
  tenants_quotas: TenantQuotaRow
  tenants_namespaces: TenantNamespaceRow
}
