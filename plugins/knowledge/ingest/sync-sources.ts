import type { Tx } from '#core/event-store/store.ts'
import type { KnowledgeBaseSpec } from '#schemas/crds/knowledge-base.ts'
import type { Base, BaseIdentity } from '../store/bases.ts'
import { findSources } from '../store/ingests.ts'
import { deleteDocument } from '../store/documents.ts'
import { queueIngests } from './queue-ingests.ts'
import type { IngestQueue } from './queue-ingests.ts'
import { sourceId, sourcesOf } from './sources.ts'

/** Actor of ingests that result from the spec. */
const ACTOR = 'knowledge'

/** Queues new sources and sources with a changed address, and removes the documents of removed sources. */
export async function syncSources(
  tx: Tx,
  options: IngestQueue,
  { base, identity, spec }: { readonly base: Base; readonly identity: BaseIdentity; readonly spec: KnowledgeBaseSpec },
): Promise<void> {
  const { sources = [] } = spec
  const rows = await findSources(tx, base.uid)
  const known = new Set(rows.map(({ id, url }) => `${id} ${url ?? ''}`))
  const missing = sources.filter(({ name, url }) => !known.has(`${sourceId(name)} ${url}`))
  if (missing.length > 0)
    await queueIngests(tx, options, { ...identity, actor: ACTOR }, sourcesOf({ ...spec, sources: missing }))
  const named = new Set(sources.map(({ name }) => sourceId(name)))
  for (const { id, stored } of rows) if (stored && !named.has(id)) await deleteDocument(tx, base, id)
}
