import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

const erasureId = Type.String({ format: 'uuid', description: 'Id of the erasure.' })
const requestedData = Type.Object({
  erasureId,
  subject: Type.String({ description: 'Name of the person or the account.' }),
})
const finishedData = Type.Object({
  erasureId,
  count: Type.Integer({ description: 'Number of erased items.' }),
  erased: Type.Array(
    Type.Object({
      of: Type.String({ description: 'What was erased, such as runs.' }),
      count: Type.Integer({ description: 'Number of its erased items.' }),
    }),
    { description: 'Numbers of erased items by what they are.' },
  ),
})

const seenBy = { verb: 'list', resource: 'erasures' } as const

/** An operator asked to erase a person. The name is a reference, without which the audit log would not say who was erased (ADR 0272). */
export const erasureRequested: EventType<Static<typeof requestedData>> = defineEvent({
  plugin: 'erasures',
  fact: 'requested',
  summary: 'The erasure of a person was requested.',
  data: requestedData,
  audit: { action: 'create', resourceKind: 'Erasure', detail: ['subject'] },
  seenBy,
})

/** Every eraser is done. Numbers only. */
export const erasureFinished: EventType<Static<typeof finishedData>> = defineEvent({
  plugin: 'erasures',
  fact: 'finished',
  summary: 'The erasure of a person is finished.',
  data: finishedData,
  audit: { action: 'erase', resourceKind: 'Erasure', detail: ['count'] },
  seenBy,
})
