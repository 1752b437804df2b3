import { definePort } from '../contract/http/port.ts'
import { count, object, optionalField, string } from '#schemas/wire/schema.ts'
import { defineListener } from '../contract/listener.ts'

// The example of docs/how-to/add-a-launcher-port.md.

export const notesPort = definePort({
  name: 'memory',
  bodyLimit: 64 * 1024,
  routes: {
    add: {
      method: 'POST',
      path: '/notes/:topic',
      summary: 'Adds a note.',
      body: object({ note: string(), weight: optionalField(count) }),
      responses: { 201: object({ notes: count }) },
      refusals: ['too_many_runs'],
    },
  },
})

export const notesListener = defineListener({
  port: notesPort,
  wanted: ({ stateUrl }) => stateUrl !== undefined,
  start() {
    const notes = new Map<string, string[]>()
    return {
      listeners: [
        notesPort.serve({
          add: async ({ params, body }) => {
            const { note } = await body()
            const known = [...(notes.get(params.topic) ?? []), note].slice(-100)
            notes.set(params.topic, known)
            return { status: 201, body: { notes: known.length } }
          },
        }),
      ],
      drain: () => notes.clear(),
    }
  },
})
