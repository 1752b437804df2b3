import type { Transaction } from 'kysely'
import { isDeletedUnderLock } from '#core/cluster/object-index-sql.ts'
import { objectDeleted } from '#core/controllers/objects/object-events.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { manifestApproved, manifestRejected, serverPublished } from './contract/events.ts'
import type { DecidedManifest, PublishedServer } from './contract/events.ts'
import type { ConnectorRow, McpTables } from './contract/tables.ts'

type Event = Omit<StoredEvent, 'position'>
type Db = Transaction<McpTables>

const KIND = 'McpServer'

/** Decisions on manifests, and published servers. Those of a deleted server are removed: one of the same name inherits nothing (M-4). */
export const serversProjection: Projection = {
  name: 'mcp.servers',
  version: 1,
  tables: ['mcp_approvals', 'mcp_connectors'],
  types: [manifestApproved, manifestRejected, serverPublished, objectDeleted],
  apply: async (event, tx) => {
    const db = tx.withTables<McpTables>()
    if (event.type === objectDeleted.type) {
      if (event.subject.kind === KIND) await forgetServer((event.data as { readonly uid: string }).uid, db)
      return
    }
    const { uid = '' } = event.subject
    // A route may have read the server before its deletion.
    if (await isDeletedUnderLock(db, KIND, uid)) return
    await (event.type === serverPublished.type ? savePublished(event, uid, db) : saveDecision(event, uid, db))
  },
}

async function forgetServer(uid: string, db: Db): Promise<void> {
  await db.deleteFrom('mcp_approvals').where('server_uid', '=', uid).execute()
  await db.deleteFrom('mcp_connectors').where('server_uid', '=', uid).execute()
}

async function saveDecision({ type, data, actor, time }: Event, uid: string, db: Db): Promise<void> {
  const { digest, decisionReason } = data as DecidedManifest
  const row = {
    state: type === manifestApproved.type ? ('approved' as const) : ('rejected' as const),
    actor: actor?.name ?? '',
    decided_at: time,
    reason: decisionReason ?? null,
  }
  await db
    .insertInto('mcp_approvals')
    .values({ server_uid: uid, digest, ...row })
    .onConflict((on) => on.columns(['server_uid', 'digest']).doUpdateSet(row))
    .execute()
}

async function savePublished({ data, subject, actor, time }: Event, uid: string, db: Db): Promise<void> {
  const { visibleTo, header, auth, ...texts } = data as PublishedServer
  if (visibleTo?.length === 0) {
    await db.deleteFrom('mcp_connectors').where('server_uid', '=', uid).execute()
    return
  }
  const row = {
    ...texts,
    namespace: subject.namespace ?? '',
    name: subject.name,
    auth: auth as ConnectorRow['auth'],
    header: header ?? null,
    visible_to: visibleTo,
    published_by: actor?.name ?? '',
    published_at: time,
  }
  await db
    .insertInto('mcp_connectors')
    .values({ server_uid: uid, ...row })
    .onConflict((on) => on.column('server_uid').doUpdateSet(row))
    .execute()
}
