import type { Eraser } from '#plugins/erasures/contract/points.ts'
import { personPrefix } from '../session/bound-conversation.ts'
import { removeItemsOf } from './remove-items.ts'
import { requestPersonErasure } from './subject-erasures.ts'

/** Erases what agents remember of a person: items of long-term memory, and conversations in the state store, which only the state role reaches. */
export const memoryEraser: Eraser = {
  name: 'memory',
  erase: async (tx, person, limit) => {
    const { erasureId, subject, namespace } = person
    const erased = await removeItemsOf(tx, person, limit)
    if (erased === limit) return { erased, next: 'more' }
    const conversations = { erasureId, prefix: personPrefix(subject), namespace }
    return { erased, next: (await requestPersonErasure(tx, conversations)) ? 'done' : 'wait' }
  },
}
