import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Observed } from '#core/cluster/observed-objects.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { cutPage } from '#core/database/cut-page.ts'
import { AuditPage, AuditQuery } from '#schemas/api/audit.ts'
import type { Audit } from './audit-log.ts'

/** `GET /api/audit`: allowed by `list auditlogs` in the namespace that is read. Available with a store. */
export function auditRoutes(audit: Audit | undefined, observed: Pick<Observed, 'namespaceUid'>): Part {
  const list = endpoint({
    method: 'GET',
    url: '/audit',
    id: 'listAuditEvents',
    summary: 'List audit events, newest first, for callers that may list auditlogs in the namespace.',
    authz: {
      kind: 'review',
      verb: 'list',
      resource: 'auditlogs',
      namespace: { in: 'query', field: 'namespace', absent: 'cluster' },
    },
    query: AuditQuery,
    response: { 200: AuditPage },
    async handle({ access, query, cursors, caller }) {
      if (!audit) throw new Fail('not_wired')
      const { limit = 50, cursor, namespace: _, ...filter } = query
      const bound = { namespace: access.namespace, ...filter }
      const after = cursor === undefined ? undefined : toKey(cursors.open(cursor, bound))
      const namespaceUid = await boundUid(caller, access.namespace, observed)
      const bounds = namespaceUid === undefined ? filter : { ...filter, namespaceUid }
      const rows = await audit.list(access as Access<'list', 'auditlogs'>, bounds, { limit: limit + 1, after })
      const { items, last } = cutPage(rows, limit)
      return { items, nextCursor: last ? cursors.seal([last.occurredAt, last.id], bound) : null }
    },
  })
  return { wiring: audit ? 'ready' : 'unwired', endpoints: [list] }
}

const NONE = 'none'

// SEC17: callers with rights in one namespace do not see the rows of a deleted namespace of that name. Callers that may list the log
// of the whole cluster see all rows of the name.
async function boundUid(
  caller: Caller,
  namespace: Access['namespace'],
  observed: Pick<Observed, 'namespaceUid'>,
): Promise<string | undefined> {
  if (namespace === '' || (await caller.may('list', 'auditlogs', { namespace: '' })) !== undefined) return undefined
  return (await observed.namespaceUid(namespace)) ?? NONE
}

function toKey(position: unknown): { occurredAt: Date; id: string } {
  const [at, id] = Array.isArray(position) ? position : []
  if (typeof at !== 'string' || typeof id !== 'string') throw new Fail('invalid_cursor')
  return { occurredAt: new Date(at), id }
}
