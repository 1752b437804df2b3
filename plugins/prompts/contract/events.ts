import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import { promptResource } from './resources.ts'

/** One version of a prompt was deleted. */
export const promptRevisionDeleted = defineEvent({
  plugin: 'prompts',
  fact: 'revision-deleted',
  summary: 'A version of a prompt was deleted.',
  data: Type.Object({
    id: Type.String({ format: 'uuid', description: 'UUIDv7 of the prompt.' }),
    revision: Type.Integer({ minimum: 1, description: 'Number of the deleted version.' }),
  }),
  audit: { action: 'delete', resourceKind: promptResource.names.kind, detail: ['revision'] },
  seenBy: { verb: 'get', resource: promptResource.names.resource },
})
