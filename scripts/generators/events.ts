import { anyCloudEventSchema, cloudEventSchema } from '#core/messaging/wire/cloud-event-schema.ts'
import type { EventType } from '#core/event-store/event.ts'
import { toSubject } from '#core/messaging/wire/subjects.ts'
import { toDocumentSchema } from '#core/http/openapi/schemas.ts'
import type { Components } from '#core/http/openapi/schemas.ts'

/** docs/reference/events.md and docs/reference/asyncapi.json, from the event types declared by core and plugins. */
export async function generate(): Promise<Map<string, string>> {
  const types = await eventTypes()
  return new Map([
    ['docs/reference/events.md', toMarkdown(types)],
    ['docs/reference/asyncapi.json', `${JSON.stringify(toAsyncApi(types), undefined, 2)}\n`],
  ])
}

async function eventTypes(): Promise<readonly EventType[]> {
  const { plugins } = await import('#plugins/index.ts')
  const { clusterEvents } = await import('#core/controllers/objects/object-events.ts')
  const found: readonly EventType[] = [...clusterEvents, ...plugins.flatMap((plugin) => plugin.events ?? [])]
  return found.toSorted((a, b) => (a.type < b.type ? -1 : 1))
}

function toMarkdown(types: readonly EventType[]): string {
  const sections = types.map((type) => {
    const audit = type.audit === undefined ? '' : ` Audited as \`${type.audit.action}\` of ${type.audit.resourceKind}.`
    const data = JSON.stringify(toDocumentSchema(type.data, {}), undefined, 2)
    return `## ${type.type}\n\n${type.summary}${audit} ${seenBy(type)} NATS subject \`${toSubject(type.type, '<namespace>')}\`.\n\nSchema of \`data\`:\n\n\`\`\`json\n${data}\n\`\`\`\n`
  })
  return `${preface}\n${sections.join('\n')}`
}

function seenBy({ seenBy: right }: EventType): string {
  if (right === 'none') return 'Not in `GET /api/events`.'
  if (right === undefined) return 'Seen by callers that may `get` its subject.'
  return `Seen by callers that may \`${right.verb} ${right.resource}\`.`
}

const preface = `# Domain events

Generated from the event types; \`npm run generate\` writes it, \`npm run check\` fails when it differs. [asyncapi.json](asyncapi.json) has
the whole messages. Events are CloudEvents 1.0 JSON, delivered at least once: order them by \`sequence\`, drop repeats by \`id\`.
They carry facts and references, never content or secrets. \`GET /api/events\` shows an event to callers with the right named here, in the
event's namespace. An event without a namespace has \`_\` in its subject.
`

const servers = {
  nats: {
    host: 'nats:4222',
    protocol: 'nats',
    description: 'The NATS server of the setting natsUrl; its stream has every event for a week.',
  },
  http: {
    host: '127.0.0.1:8080',
    protocol: 'http',
    description: 'The API of an installation: server-sent events with the bearer of the caller.',
    security: [{ $ref: '#/components/securitySchemes/bearer' }],
  },
}

function toAsyncApi(types: readonly EventType[]): object {
  const schemas: Components = {}
  const shown = types.filter(({ seenBy: right }) => right !== 'none')
  const messages = Object.fromEntries(types.map((type) => [type.type, toMessage(type, schemas)]))
  toDocumentSchema(anyCloudEventSchema(shown), schemas)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'mesh domain events',
      version: '1.0.0',
      description: 'Facts about agents, runs and their surroundings.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    servers,
    channels: { ...Object.fromEntries(types.map((type) => [type.type, toChannel(type)])), feed: toFeed(shown) },
    operations: {
      ...Object.fromEntries(
        types.map(({ type }) => [type, { action: 'send', channel: { $ref: `#/channels/${type}` } }]),
      ),
      streamEvents: { action: 'send', channel: { $ref: '#/channels/feed' }, summary: 'Domain events in commit order.' },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      messages,
      schemas: withoutDiscriminator(schemas),
    },
  }
}

// AsyncAPI expects a property name, OpenAPI an object; the const of each type discriminates as well.
function withoutDiscriminator(schemas: Components): Components {
  const { CloudEvent, ...rest } = schemas
  const { discriminator: _, ...plain } = CloudEvent as Readonly<Record<string, unknown>>
  return { ...rest, CloudEvent: plain }
}

function toChannel(type: EventType): object {
  return {
    address: toSubject(type.type, '{namespace}'),
    servers: [{ $ref: '#/servers/nats' }],
    parameters: { namespace: { description: 'The namespace of the subject, or _ for none.' } },
    messages: { event: { $ref: `#/components/messages/${type.type}` } },
  }
}

function toFeed(types: readonly EventType[]): object {
  const messages = types.map(({ type }) => [type, { $ref: `#/components/messages/${type}` }])
  return {
    address: '/api/events',
    title: 'GET /api/events',
    description:
      'Server-sent events: `event` is the type, `id` the sequence, `data` the CloudEvent. Continues after `?after=` or Last-Event-ID; `?namespace=` is one namespace.',
    servers: [{ $ref: '#/servers/http' }],
    messages: Object.fromEntries(messages) as object,
    bindings: { http: { bindingVersion: '0.3.0' } },
  }
}

function toMessage(type: EventType, schemas: Components): object {
  return {
    name: type.type,
    summary: type.summary,
    contentType: 'application/cloudevents+json',
    payload: toDocumentSchema(cloudEventSchema(type), schemas),
  }
}
