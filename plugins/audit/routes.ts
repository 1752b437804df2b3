import { mapConcurrently } from '#core/async/map-concurrently.ts'
import type { AccessScope, Caller } from '#core/cluster/caller.ts'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import type { RowKey } from '#core/http/store/store-list.ts'
import { AuditExportQuery, AuditLines, AuditPage, AuditQuery, exampleRow } from '#schemas/api/audit.ts'
import type { Audit } from './audit-log.ts'
import { auditLines, csvExample, mediaTypes } from './export/audit-lines.ts'
import { checkRange } from './export/check-range.ts'
import type { AuditFilter, AuditKey } from './store/audit-page.ts'

type Observed = Pick<ObservedReads, 'namespaceUid'>

const authz = {
  kind: 'review',
  verb: 'list',
  resource: 'auditlogs',
  namespace: { in: 'scope', none: 'denied' },
} as const

/** Reads of the log, allowed by `list auditlogs` in each namespace that is read. Available with a store. */
export function auditRoutes(audit: Audit | undefined, observed: Observed): Part {
  const endpoints = [listEndpoint(audit, observed), exportEndpoint(audit, observed)]
  return { wiring: audit ? 'ready' : 'unwired', setting: 'DATABASE_URL', endpoints }
}

function listEndpoint(audit: Audit | undefined, observed: Observed): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/audit',
    id: 'listAuditEvents',
    summary: 'List audit events, newest first, for callers that may list auditlogs in the namespace.',
    authz,
    query: AuditQuery,
    response: { 200: AuditPage },
    async handle(call) {
      if (!audit) throw new Fail('not_wired')
      const { access, caller, query } = call
      const bounds = { ...toFilter(query), namespaceUids: await boundUids(caller, access, observed) }
      return keyedPage(call, {
        read: ({ limit, after }) => audit.list(access, bounds, { limit, after: after && toKey(after) }),
        keyOf: ({ occurred_at: at, id }) => [at, id],
      })
    },
  })
}

function exportEndpoint(audit: Audit | undefined, observed: Observed): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/audit/export',
    id: 'exportAuditEvents',
    docs: { text: { type: 'text/csv', example: csvExample({ ...exampleRow }) } },
    summary: 'Export the audit events of a range, newest first, as lines of JSON or as CSV.',
    authz,
    query: AuditExportQuery,
    response: { 200: AuditLines },
    stream: true,
    async handle({ access, caller, query, reply }) {
      if (!audit) throw new Fail('not_wired')
      checkRange(query)
      const { format = 'ndjson' } = query
      const bounds = { ...toFilter(query), namespaceUids: await boundUids(caller, access, observed) }
      reply.header('content-type', mediaTypes[format])
      reply.header('content-disposition', `attachment; filename="audit.${format}"`)
      return auditLines((last, limit) => {
        const after = last && toKey([last.occurred_at, last.id])
        return audit.list(access, bounds, { limit, after })
      }, format)
    },
  })
}

type Filters = Omit<AuditQuery, 'namespace' | 'scope' | 'limit' | 'cursor'>

function toFilter({ actor, action, kind, outcome, from, to, source, ...query }: Filters): AuditFilter {
  const { resource_name: resourceName, trace_id: traceId, actor_kind: actorKind } = query
  return { actor, action, kind, outcome, from, to, source, resourceName, traceId, actorKind }
}

const NONE = 'none'

// SEC17: callers with rights in one namespace do not see the rows of a deleted namespace of that name. Callers that may list the log
// of the whole cluster see all rows of the name.
async function boundUids(
  caller: Caller,
  access: AccessScope,
  observed: Observed,
): Promise<readonly string[] | undefined> {
  const isWhole = access.some(({ namespace }) => namespace === '')
  if (isWhole || (await caller.may('list', 'auditlogs', { namespace: '' })) !== undefined) return undefined
  return mapConcurrently(access, async ({ namespace }) => (await observed.namespaceUid(namespace)) ?? NONE)
}

function toKey([at, id]: RowKey): AuditKey {
  return { occurredAt: new Date(at ?? ''), id: String(id) }
}
