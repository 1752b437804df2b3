import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { rowCreate, rowDelete, rowList } from '#core/http/store/row-routes.ts'
import { RunParams } from '#schemas/api/run-requests.ts'
import { CreatedShare, ShareInput, ShareList, ShareListQuery, ShareParams } from '#schemas/api/sharing.ts'
import { createShare } from '../shares/create-share.ts'
import { isShareId, revokeShare } from '../shares/revoke-share.ts'
import type { SharingServices } from '../services/create-services.ts'
import { listShares } from '../store/shares.ts'
import type { SharingTables } from '../contract/tables.ts'
import { toShare } from './to-share.ts'

const names = { resource: 'runshares', kind: 'RunShare' } as const
const examples = {
  default: { summary: 'For a week', value: {} },
  narrow: {
    summary: 'For a day, read at most ten times, without mail addresses',
    value: { expiresIn: '1d', maxViews: 10, redaction: { redact: ['email'] } },
  },
}

/** Shares of one run. A run that the caller may not `get` is reported as unknown on every method. */
export function runShareEndpoints(services: SharingServices): readonly AnyEndpoint[] {
  const { runs, store } = services
  const find = (caller: Caller, runId: string) => runs.find(caller, { runId })
  const create = rowCreate(names, {
    url: '/runs/:id/shares',
    id: 'createRunShare',
    docs: { examples },
    summary: 'Create a share of a run as it is now: a link that needs no account.',
    params: RunParams,
    body: ShareInput,
    response: { 201: CreatedShare },
    review: async ({ caller, params }) => {
      const { namespace } = await find(caller, params.id)
      return caller.review('create', 'runshares', { namespace })
    },
    handle: async ({ caller, params, body, idempotency, signal, reply }) => {
      const made = await createShare(services, caller, { runId: params.id, body, idempotency, signal }).catch(
        (error: unknown) => {
          if (error instanceof Fail && error.code === 'share_quota_exceeded') services.counted('refused')
          throw error
        },
      )
      services.counted(made.repeated ? 'repeated' : 'created')
      const { id, token, expiresAt, redaction } = made
      reply.header('location', `/api/runs/${params.id}/shares/${id}`)
      return { id, token, url: urlOf(services, token), expiresAt: expiresAt.toISOString(), redaction }
    },
  })
  const list = rowList(names, {
    url: '/runs/:id/shares',
    id: 'listRunShares',
    summary: 'List the shares of a run that have not expired, newest first, without their tokens.',
    params: RunParams,
    query: ShareListQuery,
    page: ShareList,
    review: async ({ caller, params }) => {
      const { id, namespace } = await find(caller, params.id)
      return { access: await caller.review('list', 'runshares', { namespace }), bound: id }
    },
    // A run that may be read has the id of its path.
    select:
      ({ params }) =>
      (access, page) =>
        listShares(store.reader<SharingTables>(), access, params.id, page),
    keyOf: ({ id }) => [id],
    show: toShare,
  })
  const revoke = rowDelete(names, {
    url: '/runs/:id/shares/:shareId',
    id: 'revokeRunShare',
    summary: 'Revoke a share. Its link stops working immediately.',
    params: ShareParams,
    handle: async ({ caller, params }) => {
      const run = await find(caller, params.id)
      const { shareId } = params
      if (!isShareId(shareId)) throw new Fail('not_found')
      await caller.review('delete', 'runshares', { namespace: run.namespace, name: shareId })
      const ended = (ids: readonly string[]): void => services.shares.announce(ids)
      await revokeShare({ store, ended }, { run, shareId, by: caller.username })
      services.counted('revoked')
    },
  })
  return [create, list, revoke]
}

function urlOf({ settings }: SharingServices, token: string): string {
  return `${(settings.publicUrl ?? '').replace(/\/$/, '')}/api/shared/runs/${token}`
}
