import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'

/** An object has more dependents than one transaction should remove. */
export const pruningUnfinished = defineEvent({
  plugin: 'pruning',
  fact: 'unfinished',
  summary: 'A part of the dependents of a deleted object was removed; the rest follows.',
  data: Type.Object({ kind: Type.String(), uid: Type.String() }),
  seenBy: 'none',
})
