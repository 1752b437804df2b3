import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'
import { RunId as runId } from '#schemas/names/run-id.ts'

const recordedData = Type.Object({
  scoreId: Type.String({ format: 'uuid', description: 'Value and comment are read by `GET /api/feedback`.' }),
  runId,
  traceId: Type.String({ description: 'Id of the trace, 32 lowercase hexadecimal digits.' }),
  name: Type.String({ description: 'Name of the score.' }),
  source: Type.String({ description: 'agent or person.' }),
})

/** A run was scored. References only: a comment or a label is content. */
export const scoreRecorded: EventType<Static<typeof recordedData>> = defineEvent({
  plugin: 'feedback',
  fact: 'score-recorded',
  summary: 'A run was scored by its agent or by a person.',
  data: recordedData,
  audit: { action: 'create', resourceKind: 'Feedback', detail: ['scoreId', 'runId', 'source'] },
  seenBy: { verb: 'list', resource: 'feedback' },
})
