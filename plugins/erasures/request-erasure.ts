import type { Static } from 'typebox'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import { insertKeyed } from '#core/http/store/keyed-row.ts'
import type { ErasureInput } from '#schemas/api/erasures.ts'
import { erasureRequested } from './contract/events.ts'
import type { ErasuresTables, SelectedRequest } from './contract/tables.ts'
import { findNamespaceUid, findUnderWay } from './store/requests.ts'

/** A request of an operator who may make it. */
export interface NewErasure {
  readonly request: Static<typeof ErasureInput>
  readonly requestedBy: string
  readonly idempotency: Idempotency | undefined
}

/**
 * Stores a request with its event. Returns the one that is under way if the subject is being erased there. Throws `not_found` for an unknown
 * namespace. A subject without data is no error: the response says nothing about who has data.
 */
export async function acceptErasure(store: Store, given: NewErasure): Promise<SelectedRequest> {
  // One that is under way may finish before it is read.
  for (let tries = 0; tries < 3; tries++) {
    const row = await store.transact((tx) => requestIn(tx, given))
    if (row !== undefined) return row
  }
  throw new Fail('conflict', 'Erasures of the subject have finished meanwhile. Repeat the request.')
}

async function requestIn(tx: Tx, given: NewErasure): Promise<SelectedRequest | undefined> {
  const { request, requestedBy, idempotency } = given
  const { subject, namespace = null } = request
  const db = tx.tables<ErasuresTables>()
  const namespaceUid = namespace === null ? null : await findNamespaceUid(db, namespace)
  if (namespaceUid === undefined) throw new Fail('not_found', `There is no namespace ${namespace}.`)
  const id = uuidV7()
  const values = { id, subject, namespace, namespace_uid: namespaceUid, requested_by: requestedBy }
  const made = await insertKeyed<SelectedRequest>(tx.tables(), { table: 'erasures_requests', values, idempotency })
  if (made === undefined) return findUnderWay(db, subject, namespaceUid)
  if (!made.repeated)
    await tx.append(`erasures/${id}`, 0, [
      {
        type: erasureRequested,
        actor: accountActor(requestedBy),
        subject: subjectOfErasure(made.row),
        data: { erasureId: id, subject },
      },
    ])
  return made.row
}

/** Subject of the events of an erasure. */
export function subjectOfErasure({
  id,
  namespace,
  namespace_uid: uid,
}: Pick<SelectedRequest, 'id' | 'namespace' | 'namespace_uid'>) {
  return {
    namespace: namespace ?? undefined,
    kind: 'Erasure',
    name: id,
    uid: id,
    ...(uid === null ? {} : { namespaceUid: uid }),
  }
}
