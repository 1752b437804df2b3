import type { Static } from 'typebox'
import type { Share } from '#schemas/api/sharing.ts'
import type { SelectedShare } from '../contract/tables.ts'

/** Converts a stored share for a response. */
export function toShare(row: SelectedShare): Static<typeof Share> {
  const { id, namespace, content, content_reason: reason, views } = row
  return {
    id,
    runId: row.run_id,
    namespace,
    agent: row.agent_name,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    views,
    maxViews: row.max_views,
    redaction: { content, reason },
  }
}
