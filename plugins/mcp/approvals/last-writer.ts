import type { ChangeActorFinder } from '#core/controllers/objects/extension-points.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Store } from '#core/event-store/store.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { readSpecChange } from '../store/decision-rows.ts'

/** Finds the person who wrote the current spec of a server; undefined unless the API server or the API has authenticated the write. */
export type FindLastWriter = (server: Pick<McpServerObject, 'metadata'>) => Promise<string | undefined>

/** Creates the function. Fields of the object can be forged, so that only the log and the audit log count. */
export function createFindLastWriter(store: Store, finders: () => readonly ChangeActorFinder[]): FindLastWriter {
  const db = store.reader<CoreTables>()
  return async ({ metadata: { uid = '', generation = 0 } }) => {
    const change = await readSpecChange(db, `cluster/${McpServer.group}/${McpServer.kind}/${uid}`, generation)
    if (change === undefined) return undefined
    const { isCreation, resourceVersion } = change
    for (const find of finders()) {
      const actor = await find(isCreation ? { uid } : { uid, resourceVersion })
      if (actor !== undefined) return actor
    }
    return undefined
  }
}
