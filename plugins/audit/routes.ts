import type { AccessScope, Caller } from '#core/cluster/caller.ts'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import type { RowKey } from '#core/http/store/store-list.ts'
import { AuditPage, AuditQuery } from '#schemas/api/audit.ts'
import type { Audit } from './audit-log.ts'

/** `GET /api/audit`: allowed by `list auditlogs` in each namespace that is read. Available with a store. */
export function auditRoutes(audit: Audit | undefined, observed: Pick<ObservedReads, 'namespaceUid'>): Part {
  const list = endpoint({
    method: 'GET',
    url: '/audit',
    id: 'listAuditEvents',
    summary: 'List audit events, newest first, for callers that may list auditlogs in the namespace.',
    authz: {
      kind: 'review',
      verb: 'list',
      resource: 'auditlogs',
      namespace: { in: 'scope', none: 'denied' },
    },
    query: AuditQuery,
    response: { 200: AuditPage },
    async handle(call) {
      if (!audit) throw new Fail('not_wired')
      const { access, caller } = call
      const { limit: _limit, cursor: _cursor, namespace: _namespace, scope: _scope, ...filter } = call.query
      const bounds = { ...filter, namespaceUids: await boundUids(caller, access, observed) }
      return keyedPage(call, {
        read: ({ limit, after }) => audit.list(access, bounds, { limit, after: after && toKey(after) }),
        keyOf: ({ occurred_at: at, id }) => [at, id],
      })
    },
  })
  return { wiring: audit ? 'ready' : 'unwired', endpoints: [list] }
}

const NONE = 'none'

// SEC17: callers with rights in one namespace do not see the rows of a deleted namespace of that name. Callers that may list the log
// of the whole cluster see all rows of the name.
async function boundUids(
  caller: Caller,
  access: AccessScope,
  observed: Pick<ObservedReads, 'namespaceUid'>,
): Promise<readonly string[] | undefined> {
  const isWhole = access.some(({ namespace }) => namespace === '')
  if (isWhole || (await caller.may('list', 'auditlogs', { namespace: '' })) !== undefined) return undefined
  return mapConcurrently(access, async ({ namespace }) => (await observed.namespaceUid(namespace)) ?? NONE)
}

function toKey([at, id]: RowKey): { readonly occurredAt: Date; readonly id: string } {
  return { occurredAt: new Date(at ?? ''), id: String(id) }
}
