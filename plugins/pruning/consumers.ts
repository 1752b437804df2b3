import { objectDeleted } from '#core/controllers/objects/object-events.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer, HandlerContext } from '#core/messaging/consumer/consumer.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { pruningUnfinished } from './contract/events.ts'
import type { Pruner } from './contract/points.ts'

const batch = 200

type Deleted = Pick<StoredEvent<{ readonly kind: string; readonly uid: string }>, 'subject' | 'data'>

/**
 * Removes dependents of a deleted object, in the transaction that marks the deletion as handled. An agent may have a hundred thousand runs:
 * dependents beyond one batch are left to a follow-up event, so that no transaction removes them all.
 */
export function pruningConsumers(pruners: () => readonly Pruner[]): readonly Consumer[] {
  const prune = async (events: readonly Deleted[], context: HandlerContext): Promise<void> => {
    for (const deleted of events) await pruneOne(pruners(), deleted, context)
  }
  return [
    on('pruning.deletions', [objectDeleted], { order: 'none', from: 'start' }, prune),
    on('pruning.rest', [pruningUnfinished], { order: 'none', from: 'start' }, prune),
  ]
}

async function pruneOne(
  pruners: readonly Pruner[],
  { subject, data: { kind, uid } }: Deleted,
  context: HandlerContext,
): Promise<void> {
  let unfinished = false
  for (const pruner of pruners)
    if (
      pruner.kinds.includes(kind) &&
      (await pruner.prune(context, { kind, uid, namespace: subject.namespace ?? null }, batch)) === batch
    )
      unfinished = true
  if (unfinished)
    await context.append(`pruning/${uid}`, 'any', [{ type: pruningUnfinished, subject, data: { kind, uid } }])
}
