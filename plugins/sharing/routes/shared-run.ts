import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { JsonPieces } from '#core/http/reply/raw-list.ts'
import { RunEvent } from '#schemas/api/run-events.ts'
import { SharedRun, TokenParams } from '#schemas/api/sharing.ts'
import { streamShared } from '../public/stream-shared.ts'
import type { SharingServices } from '../services/create-services.ts'
import { peekShared, viewShared } from '../store/read-shared.ts'
import type { SharingTables, SnapshotRow } from '../contract/tables.ts'
import { hashToken } from '../shares/token.ts'

/** The public read of a share: no caller, no call to the cluster (S3), and the same response for every invalid token (S2). */
export function sharedRun(services: SharingServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/shared/runs/:token',
    id: 'getSharedRun',
    docs: { events: RunEvent },
    summary: 'Get a shared run, or stream its events with `Accept: text/event-stream`.',
    authz: { kind: 'public', shownBy: 'shareToken' },
    params: TokenParams,
    response: { 200: SharedRun },
    handle: async (call) => {
      const { request, params, headers } = call
      limit(services, request.ip)
      const shown = await find(services, params.token, request.method === 'HEAD')
      services.readCounted(shown === undefined ? 'unknown' : 'shown')
      if (shown === undefined) throw new Fail('not_found')
      if (headers['accept']?.includes('text/event-stream') === true) return streamShared(services, call, shown)
      return toJson(shown)
    },
  })
}

// Checked before the token, so that a refusal reveals nothing about it.
function limit({ reads, readCounted, settings }: SharingServices, address: string): void {
  const retryAfter = reads.take(address)
  if (retryAfter === undefined) return
  readCounted('limited')
  const detail = `sharing.readsPerMinute: ${settings.readsPerMinute} reads of one address in a minute.`
  throw new Fail('too_many_requests', detail, { retryAfter })
}

function find({ store }: SharingServices, token: string, isHead: boolean): Promise<SnapshotRow | undefined> {
  const hash = hashToken(token)
  if (hash === undefined) return Promise.resolve(undefined)
  return isHead ? peekShared(store.reader<SharingTables>(), hash) : viewShared(store, hash)
}

// Sent as stored, without parsing.
function toJson({ head, events }: SnapshotRow): JsonPieces {
  return new JsonPieces([
    Buffer.from(head.slice(0, -1)),
    Buffer.from(',"events":'),
    Buffer.from(events),
    Buffer.from('}'),
  ])
}
