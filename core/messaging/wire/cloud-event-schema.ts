import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import { titled } from '#schemas/shown-as.ts'
import { toDataSchema } from './cloud-event.ts'
import type { EventType } from '#core/event-store/event.ts'

/** Pattern of `sequence`: `<epoch>-<position>`, zero-padded. */
export const SEQUENCE_PATTERN = '^\\d{6}-\\d{20}$'

/** Schema of an event of this type as CloudEvents 1.0 JSON. The titles become component names of the API documents. */
export function cloudEventSchema(type: EventType): TSchema {
  const optional = Type.Optional(Type.String())
  return Type.Object(
    {
      specversion: Type.Literal('1.0'),
      id: Type.String({ description: 'Identifies duplicates: events are delivered at least once.' }),
      source: Type.String({ description: '/mesh/<install>/<plugin>' }),
      type: Type.Literal(type.type),
      subject: Type.String({ description: '<namespace or _>/<kind>/<name>' }),
      time: Type.String({ format: 'date-time' }),
      datacontenttype: Type.Literal('application/json'),
      dataschema: Type.Literal(toDataSchema(type.type)),
      sequence: Type.String({ pattern: SEQUENCE_PATTERN, description: 'Order of the events; sorts as a text.' }),
      traceparent: optional,
      actor: optional,
      actorkind: Type.Optional(Type.Enum(['user', 'controller', 'system'])),
      tenant: optional,
      correlationid: optional,
      causationid: optional,
      data: titled(`${nameOf(type)}Data`, type.data),
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
