import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import { described } from '#schemas/values/described.ts'
import { titled } from '#schemas/values/shown-as.ts'
import { toDataSchema } from './cloud-event.ts'
import type { EventType } from '#core/event-store/event.ts'

/** Pattern of `sequence`: `<epoch>-<position>`, zero-padded. */
export const SEQUENCE_PATTERN = '^\\d{6}-\\d{20}$'

/** Schema of an event of this type as CloudEvents 1.0 JSON. The titles become component names of the API documents. */
export function cloudEventSchema(type: EventType): TSchema {
  const optional = Type.Optional(Type.String())
  return Type.Object(
    {
      specversion: described(Type.Literal('1.0'), 'Version of CloudEvents.'),
      id: Type.String({
        description: 'Identifies duplicates: events are delivered at least once.',
        examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0d'],
      }),
      source: Type.String({ description: '/mesh/<install>/<plugin>', examples: ['/mesh/mesh/runs'] }),
      type: described(Type.Literal(type.type), 'Type of the event.'),
      subject: Type.String({
        description: '<namespace or _>/<kind>/<name>',
        examples: ['default/Run/0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a00'],
      }),
      time: Type.String({
        format: 'date-time',
        description: 'Time of the event.',
        examples: ['2026-11-20T08:00:00.000Z'],
      }),
      datacontenttype: described(Type.Literal('application/json'), 'Media type of `data`.'),
      dataschema: described(Type.Literal(toDataSchema(type.type)), 'URL of the schema of `data`.'),
      sequence: Type.String({
        pattern: SEQUENCE_PATTERN,
        description: 'Order of the events; sorts as a string.',
        examples: ['000001-00000000000000000042'],
      }),
      traceparent: described(optional, 'W3C trace context of the action.'),
      actor: described(optional, 'User, service account or component that acted.'),
      actorkind: Type.Optional(described(Type.Enum(['user', 'controller', 'system']), 'Kind of the actor.')),
      tenant: described(optional, 'Tenant of the namespace; absent without one.'),
      correlationid: described(optional, 'Id shared by the events of one action.'),
      causationid: described(optional, 'Id of the event that caused this one.'),
      data: titled(`${nameOf(type)}Data`, { description: type.summary, ...type.data }),
    },
    { title: `${nameOf(type)}Event`, description: type.summary },
  )
}

/** Schema of an event of any of these types, discriminated by `type`. */
export function anyCloudEventSchema(types: readonly EventType[]): TSchema {
  const mapping = types.map((type) => [type.type, `#/components/schemas/${nameOf(type)}Event`])
  return Type.Unsafe({
    title: 'CloudEvent',
    description: '`data` of a server-sent event: CloudEvents 1.0 JSON. Its `event` is the type, its `id` the sequence.',
    oneOf: types.map(cloudEventSchema),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) as object },
  })
}

function nameOf({ plugin, fact, version }: EventType): string {
  const words = `${plugin}-${fact}`.split('-').map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
  return `${words.join('')}${version === 1 ? '' : `V${version}`}`
}
