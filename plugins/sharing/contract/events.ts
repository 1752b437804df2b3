import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '#schemas/values/described.ts'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'
import { RunId as runId } from '#schemas/names/run-id.ts'

const shareId = Type.String({ format: 'uuid' })
const createdData = Type.Object({
  shareId: described(shareId, 'UUIDv7 of the share.'),
  runId,
  expiresAt: Type.String({ format: 'date-time', description: 'Expiry time of the share.' }),
  maxViews: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Number of reads after which the share expires; null: not limited.',
  ),
  content: Type.String({ description: 'full or none.' }),
})
const revokedData = Type.Object({ shareId: described(shareId, 'UUIDv7 of the share.'), runId })

/** A run was shared. Neither the token nor its hash is part of any event. */
export const shareCreated: EventType<Static<typeof createdData>> = defineEvent({
  plugin: 'sharing',
  fact: 'created',
  summary: 'A share of a run was created.',
  data: createdData,
  audit: {
    action: 'create',
    resourceKind: 'RunShare',
    detail: ['runId', 'expiresAt', 'maxViews', 'content'],
  },
  seenBy: { verb: 'list', resource: 'runshares' },
})

/** A share was revoked by a user. */
export const shareRevoked: EventType<Static<typeof revokedData>> = defineEvent({
  plugin: 'sharing',
  fact: 'revoked',
  summary: 'A share of a run was revoked.',
  data: revokedData,
  audit: { action: 'delete', resourceKind: 'RunShare', detail: ['runId'] },
  seenBy: { verb: 'list', resource: 'runshares' },
})
