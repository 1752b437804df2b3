import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { rowCreate, rowList } from '#core/http/store/row-routes.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { Erasure, ErasureInput, ErasureList, ErasureListQuery, ErasureParams } from '#schemas/api/erasures.ts'
import { toErasedItems } from './erase-subjects.ts'
import { acceptErasure } from './request-erasure.ts'
import { listRequests, placeOfRequest, readRequest } from './store/requests.ts'
import type { ErasuresTables, SelectedRequest } from './contract/tables.ts'

const names = { resource: 'erasures', kind: 'Erasure' } as const
const examples = {
  cluster: { summary: 'In the whole cluster', value: { subject: 'ada@example.com' } },
  namespace: { summary: 'In one namespace', value: { subject: 'ada@example.com', namespace: 'default' } },
}
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** Routes of erasures, below `/api`. */
export function erasureRoutes(store: Store): readonly AnyEndpoint[] {
  const request = rowCreate(names, {
    url: '/erasures',
    id: 'createErasure',
    docs: { examples, sends: ['Location'] },
    summary:
      'Create the erasure of a person: runs, memory, feedback and shares are removed. While one is under way, a repeat returns it.',
    body: ErasureInput,
    response: { 202: Erasure },
    review: ({ caller, body: { namespace } }) =>
      caller.review('create', 'erasures', { namespace: namespace ? parseLabel('/namespace', namespace) : '' }),
    handle: async ({ caller, body, idempotency, reply }) => {
      const row = await acceptErasure(store, { request: body, requestedBy: caller.username, idempotency })
      reply.header('location', `/api/erasures/${row.id}`)
      return toErasure(row)
    },
  })
  const list = rowList(names, {
    url: '/erasures',
    id: 'listErasures',
    summary: 'List erasures, newest first. Those of the cluster include every namespace.',
    query: ErasureListQuery,
    page: ErasureList,
    select: () => (access, page) => listRequests(store.reader<ErasuresTables>(), access, page),
    keyOf: ({ id }) => [id],
    show: toErasure,
  })
  return [request, list, getEndpoint(store)]
}

function getEndpoint(store: Store): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/erasures/:id',
    id: 'getErasure',
    summary: 'Get an erasure with its state and the numbers of erased items.',
    authz: { kind: 'row', verb: 'get', resource: 'erasures' },
    params: ErasureParams,
    response: { 200: Erasure },
    handle: async ({ caller, params: { id } }) => {
      const db = store.reader<ErasuresTables>()
      const place = uuid.test(id) ? await placeOfRequest(db, id) : undefined
      const access =
        place === undefined ? undefined : await caller.may('get', 'erasures', { namespace: place as DnsLabel | '' })
      const row = access && (await readRequest(db, access, id))
      // Who may not get an erasure does not learn that it exists.
      if (row === undefined) throw new Fail('not_found', 'There is no erasure with this id that the caller may read.')
      return toErasure(row)
    },
  })
}

function toErasure(row: SelectedRequest): Static<typeof Erasure> {
  const { id, namespace, subject, state, erased } = row
  return {
    id,
    namespace,
    subject,
    state,
    requestedBy: row.requested_by,
    requestedAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    erased: toErasedItems(erased),
  }
}
