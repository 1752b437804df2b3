import { objectDeleted } from '#core/cluster/events.ts'
import { type Consumer, on } from '#core/events/consumer.ts'
import type { Leftover } from './points.ts'

const batch = 200

/** A deleted object takes along what it left behind, in the transaction that marks the deletion as handled. */
export function pruningConsumers(leftovers: () => readonly Leftover[]): readonly Consumer[] {
  return [
    on('pruning.deletions', [objectDeleted], { order: 'none', from: 'start' }, async (events, context) => {
      for (const { data } of events)
        for (const left of leftovers().filter(({ kinds }) => kinds.includes(data.kind)))
          while ((await left.prune(context, { kind: data.kind, uid: data.uid }, batch)) === batch);
    }),
  ]
}
