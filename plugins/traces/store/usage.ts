import { usageTable } from '#core/database/usage-table.ts'

/** Bytes of the spans of each namespace. */
export const spanUsage = usageTable('traces_usage', { owner: 'namespace_uid', counts: ['bytes'] })
