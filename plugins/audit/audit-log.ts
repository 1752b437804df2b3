import type { AccessScope } from '#core/cluster/caller.ts'
import type { ChangeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { Store } from '#core/event-store/store.ts'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { toAuditEvent } from './rows/audit-event.ts'
import { readAuditPage } from './store/audit-page.ts'
import type { AuditFilter, AuditWindow } from './store/audit-page.ts'
import type { AuditTables } from './contract/tables.ts'
import { changeActor } from './store/change-actor.ts'

/** The reader's side of the audit log. */
export interface Audit {
  list(
    access: AccessScope<'list', 'auditlogs'>,
    filter: AuditFilter,
    page: Omit<AuditWindow, 'retentionDays'>,
  ): Promise<readonly AuditEvent[]>
}

/** Finds authenticated actors of changes for the platform's own use, such as the author of a revision. */
export function createActorFinder(store: Store): ChangeActorFinder {
  const db = store.reader<AuditTables>()
  return (change) => changeActor(db, change)
}

/** Reads pages of the log under proofs. Rows older than `retentionDays` are excluded, exact to the instant. */
export function createAudit(store: Store, retentionDays: number): Audit {
  const db = store.reader<AuditTables>()
  return {
    list: async (access, filter, page) => {
      const rows = await readAuditPage(db, access, filter, { ...page, retentionDays })
      return rows.map(toAuditEvent)
    },
  }
}
