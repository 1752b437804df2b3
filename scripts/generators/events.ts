import { toDataSchema } from '#core/events/cloudevents.ts'
import type { EventType } from '#core/events/event.ts'
import { toSubject } from '#core/events/subjects.ts'

/** docs/events.md and docs/asyncapi.json, from the event types that core and the plugins declare. */
export async function generate(): Promise<Map<string, string>> {
  const types = await eventTypes()
  return new Map([
    ['docs/events.md', toMarkdown(types)],
    ['docs/asyncapi.json', `${JSON.stringify(toAsyncApi(types), undefined, 2)}\n`],
  ])
}

async function eventTypes(): Promise<readonly EventType[]> {
  const { plugins } = await import('#plugins/index.ts')
  const core: Readonly<Record<string, unknown>> = await import('#core/cluster/events.ts')
  const found = [...Object.values(core).filter(isEventType), ...plugins.flatMap((plugin) => plugin.events ?? [])]
  const byType = new Map(found.map((type) => [type.type, type]))
  return [...byType.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1))
}

function isEventType(value: unknown): value is EventType {
  return typeof value === 'object' && value !== null && 'fact' in value && 'plugin' in value && 'data' in value
}

function toMarkdown(types: readonly EventType[]): string {
  const sections = types.map((type) => {
    const fields = Object.entries(propertiesOf(type)).map(([name, schema]) => `| \`${name}\` | ${describe(schema)} |`)
    const table = fields.length === 0 ? '' : `\n| field of \`data\` | schema |\n|---|---|\n${fields.join('\n')}\n`
    const audit = type.audit === undefined ? '' : ` Audited as \`${type.audit.action}\` of ${type.audit.resourceKind}.`
    return `## ${type.type}\n\n${type.summary}${audit} ${seenBy(type)} NATS subject \`${toSubject(type.type, '<namespace>')}\`.\n${table}`
  })
  return `${preface}\n${sections.join('\n')}`
}

function seenBy({ seenBy: right }: EventType): string {
  if (right === 'nobody') return 'Not in `GET /api/events`.'
  if (right === undefined) return 'Seen by callers that may `get` its subject.'
  return `Seen by callers that may \`${right.verb} ${right.resource}\`.`
}

const preface = `# Domain events

Generated from the event types; \`npm run generate\` writes it, \`npm run check\` fails when it differs. The schemas are in
[asyncapi.json](asyncapi.json). Events are CloudEvents 1.0 JSON, delivered at least once: order them by \`sequence\`, drop repeats by \`id\`.
They carry facts and references, never content or secrets. \`GET /api/events\` shows an event to callers with the right named here, in the
event's namespace. An event without a namespace has \`_\` in its subject.
`

function propertiesOf(type: EventType): Readonly<Record<string, unknown>> {
  const schema: object = type.data
  const properties = 'properties' in schema ? schema.properties : undefined
  return typeof properties === 'object' && properties !== null ? { ...properties } : {}
}

function describe(schema: unknown): string {
  const text = JSON.stringify(schema).replaceAll('|', '\\|')
  return `\`${text.length > 160 ? `${text.slice(0, 157)}...` : text}\``
}

function toAsyncApi(types: readonly EventType[]): object {
  const entries = types.map((type) => [type.type, type] as const)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'mesh domain events',
      version: '1',
      description: 'Facts about agents, runs and their surroundings.',
    },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(entries.map(([name, type]) => [name, toChannel(type)])),
    operations: Object.fromEntries(
      entries.map(([name]) => [name, { action: 'send', channel: { $ref: `#/channels/${name}` } }]),
    ),
    components: {
      messages: Object.fromEntries(entries.map(([name, type]) => [name, toMessage(type)])),
      schemas: Object.fromEntries(entries.map(([name, type]) => [name, { $id: toDataSchema(name), ...type.data }])),
    },
  }
}

function toChannel(type: EventType): object {
  return {
    address: toSubject(type.type, '{namespace}'),
    parameters: { namespace: { description: 'The namespace of the subject, or _ for none.' } },
    messages: { event: { $ref: `#/components/messages/${type.type}` } },
  }
}

function toMessage(type: EventType): object {
  return {
    name: type.type,
    summary: type.summary,
    contentType: 'application/cloudevents+json',
    payload: {
      type: 'object',
      required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'sequence', 'data'],
      properties: {
        specversion: { const: '1.0' },
        type: { const: type.type },
        ...Object.fromEntries(['id', 'source', 'subject'].map((name) => [name, { type: 'string' }])),
        time: { type: 'string', format: 'date-time' },
        datacontenttype: { const: 'application/json' },
        dataschema: { const: toDataSchema(type.type) },
        sequence: { type: 'string', pattern: '^\\d{6}-\\d{20}$' },
        ...Object.fromEntries(
          ['traceparent', 'actor', 'actorkind', 'tenant', 'correlationid', 'causationid'].map((name) => [
            name,
            { type: 'string' },
          ]),
        ),
        data: { $ref: `#/components/schemas/${type.type}` },
      },
    },
  }
}
