import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'

/** More was left behind than one transaction should remove. */
export const pruningUnfinished = defineEvent({
  plugin: 'pruning',
  fact: 'unfinished',
  summary: 'A part of what a deleted object left behind was removed; the rest follows.',
  data: Type.Object({ kind: Type.String(), uid: Type.String() }),
  seenBy: 'nobody',
})
