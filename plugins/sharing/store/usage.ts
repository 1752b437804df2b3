import { usageTable } from '#core/database/usage-table.ts'

/** Shares and bytes of each namespace. */
export const shareUsage = usageTable('sharing_usage', { owner: 'namespace_uid', counts: ['shares', 'bytes'] })
