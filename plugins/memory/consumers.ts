import { on } from '#core/messaging/consumer/consumer.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { runDeleted } from '#plugins/runs/contract/events.ts'
import { removeItemsOfRuns } from './store/remove-items.ts'
import { requestConversationErasures } from './store/subject-erasures.ts'

/** Erases what agents remember of the runs of an erased person, under whatever name. Memory outlives runs that are removed for another reason. */
export function memoryConsumers(): readonly Consumer[] {
  return [
    on('memory.erased-runs', [runDeleted], { order: 'none', from: 'start' }, async (events, tx) => {
      const runIds = events.flatMap(({ data }) => (data.erased === undefined ? [] : data.runId))
      const conversations = events.flatMap(({ subject: { namespace }, data: { erased } }) =>
        namespace === undefined || erased === undefined || erased.agentUid === null
          ? []
          : { uid: erased.agentUid, namespace, conversation: erased.conversationId },
      )
      if (runIds.length > 0) await removeItemsOfRuns(tx, runIds)
      if (conversations.length > 0) await requestConversationErasures(tx, conversations)
    }),
  ]
}
