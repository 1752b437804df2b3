import { readObjects } from '#core/http/resource/resource-list.ts'
import type { ListCall } from '#core/http/resource/scan-objects.ts'
import type { Store } from '#core/event-store/store.ts'
import type { McpApproval } from '#schemas/api/mcp-approvals.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import type { McpTables } from '../contract/tables.ts'
import { diffTools } from '../manifest/manifest.ts'
import { toManifestTool } from '../manifest/shown-tool.ts'
import { readDecisions } from '../store/decision-rows.ts'
import type { Decisions } from '../store/decision-rows.ts'
import type { FindLastWriter } from './last-writer.ts'

// Servers per page: each may show two manifests of 256 KiB.
const SERVERS_PER_PAGE = 10

/** What the list needs. */
export interface ListApprovalsOptions {
  readonly store: Store
  readonly findLastWriter: FindLastWriter
}

/** One page of the manifests that wait, of the servers that the caller may list. */
export async function listApprovals({ store, findLastWriter }: ListApprovalsOptions, call: ListCall) {
  const query = { ...call.query, limit: SERVERS_PER_PAGE }
  const { items, ...page } = await readObjects<McpServerObject>(McpServer, { ...call, query })
  const waiting = items.filter(({ status }) => status?.proposed !== undefined)
  const uids = waiting.map(({ metadata }) => metadata.uid ?? '')
  const decisions = await readDecisions(store.reader<McpTables>(), uids)
  const shown = waiting.map(async (server) => {
    const author = await findLastWriter(server)
    return toApproval(server, author, decisions.get(server.metadata.uid ?? ''))
  })
  return { ...page, items: await Promise.all(shown) }
}

function toApproval(
  { metadata, spec, status }: McpServerObject,
  author: string | undefined,
  decisions: Decisions | undefined,
): McpApproval {
  const { digest = '', tools = [] } = status?.proposed ?? {}
  const decided = decisions?.get(digest)
  return {
    namespace: metadata.namespace ?? '',
    server: metadata.name,
    uid: metadata.uid ?? '',
    url: spec.url,
    digest,
    acceptedDigest: status?.manifestDigest ?? null,
    changes: diffTools(status?.tools ?? [], tools).map(({ before, after, ...change }) => ({
      ...change,
      ...(before === undefined ? {} : { before: toManifestTool(before) }),
      ...(after === undefined ? {} : { after: toManifestTool(after) }),
    })),
    author: author ?? null,
    decision:
      decided === undefined
        ? null
        : {
            state: decided.state,
            by: decided.actor,
            at: decided.decided_at.toISOString(),
            reason: decided.reason,
          },
  }
}
