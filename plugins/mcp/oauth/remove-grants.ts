import type { Eraser } from '#plugins/erasures/contract/points.ts'
import type { Pruner } from '#plugins/pruning/contract/points.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpTables } from '../contract/tables.ts'
import { removeConsentsOf } from '../store/consents.ts'
import { removeGrantsOf, removeGrantsOfServer } from '../store/grants.ts'
import { removeClientRows } from '../store/oauth-clients.ts'

/** Erases the grants of a person. Their tokens end by themselves: the worker has no key to open them. */
export const grantEraser: Eraser = {
  name: 'mcp-grants',
  erase: async (tx, { subject, namespace }, limit) => {
    const db = tx.tables<McpTables>()
    await removeConsentsOf(db, subject, namespace)
    const erased = await removeGrantsOf(db, { subject, namespace }, limit)
    return { erased, next: erased === limit ? 'more' : 'done' }
  },
}

/** Removes the grants and the clients of a deleted server. */
export const grantPruner: Pruner = {
  name: 'mcp.grants',
  kinds: [McpServer.kind],
  prune: async (tx, { uid }, limit) => {
    const db = tx.tables<McpTables>()
    const removed = await removeGrantsOfServer(db, uid, limit)
    if (removed < limit) await removeClientRows(db, uid)
    return removed
  },
}
