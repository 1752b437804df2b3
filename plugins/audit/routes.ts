import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Observed } from '#core/cluster/observed-objects.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { storeList } from '#core/http/store/store-list.ts'
import type { RowKey } from '#core/http/store/store-list.ts'
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
    async handle(call) {
      if (!audit) throw new Fail('not_wired')
      const { access, caller } = call
      const { limit: _limit, cursor: _cursor, namespace: _namespace, ...filter } = call.query
      const namespaceUid = await boundUid(caller, access.namespace, observed)
      const bounds = namespaceUid === undefined ? filter : { ...filter, namespaceUid }
      return storeList(call, {
        resource: 'auditlogs',
        access,
        read: (proof, { limit, after }) => audit.list(proof, bounds, { limit, after: after && toKey(after) }),
        keyOf: ({ occurred_at: at, id }) => [at, id],
      })
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

function toKey([at, id]: RowKey): { readonly occurredAt: Date; readonly id: string } {
  return { occurredAt: new Date(at ?? ''), id: String(id) }
}
