import { Type } from 'typebox'
import type { Static } from 'typebox'
import type { AccessScope } from '#core/cluster/caller.ts'
import { toCloudEvent } from '#core/messaging/wire/cloud-event.ts'
import type { EventType, StoredEvent } from '#core/event-store/event.ts'
import { anyCloudEventSchema, SEQUENCE_PATTERN } from '#core/messaging/wire/cloud-event-schema.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import { reviewScope } from '#core/http/review-scope.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import { toProblemResponse } from '#core/http/problem/problem.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { eventStreamText, namespaceQuery, scope } from '#schemas/api/common.ts'
import { patternText } from '#schemas/values/pattern-text.ts'
import type { IntegrationsServices } from './services.ts'

const EventsQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    after: Type.Optional(
      Type.String({
        pattern: `^start$|${SEQUENCE_PATTERN}`,
        description:
          'sequence of the last event that was seen, or start for all that are kept. Absent: events from now on.',
      }),
    ),
    type: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'Event types to show, separated by commas.' }),
    ),
  },
  { additionalProperties: false },
)

// Types for the platform's own consumers are not in streams.
function seenTypes({ core }: IntegrationsServices): readonly EventType[] {
  return [...core.eventTypes().values()].filter(({ seenBy }) => seenBy !== 'none')
}

type Source = Parameters<typeof toCloudEvent>[1]

/**
 * `GET /api/events`: domain events as CloudEvents, in commit order, for callers that may `watch events`. Each event also needs the
 * right that its type declares (`seenBy`). A failed read ends the stream after an `error` event.
 */
export function streamEvents(services: IntegrationsServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/events',
    id: 'streamEvents',
    docs: { reads: ['Last-Event-ID'], events: anyCloudEventSchema(seenTypes(services)) },
    summary: 'Stream domain events as CloudEvents (text/event-stream), in commit order, after a sequence.',
    authz: {
      kind: 'review',
      verb: 'watch',
      resource: 'events',
      namespace: { in: 'scope', none: 'denied' },
    },
    stream: true,
    query: EventsQuery,
    response: { 200: eventStreamText },
    handle: async (call) => {
      const { query, headers, access } = call
      const [field, sequence] =
        query.after === undefined ? ['Last-Event-ID', headers['last-event-id']] : ['?after', query.after]
      const after = await toPosition(services, field ?? '', sequence)
      const types = toTypes(services, query.type)
      const source = { install: services.core.install, epoch: await services.store.epoch() }
      return serve(services, call, { access, after, types, source })
    },
  })
}

type EventsCall = Call<unknown, Static<typeof EventsQuery>, unknown>

// A stream with `scope=permitted` ends when its namespaces change: the client reconnects and gets the new set.
async function recheck({ caller, directory, query }: EventsCall, access: AccessScope): Promise<void> {
  const isWalk = query.scope === 'permitted' && !query.namespace
  const target = { namespace: isWalk ? '' : (access[0]?.namespace ?? '') } as const
  const again = { verb: 'watch', resource: 'events', none: 'denied', target, scope: query.scope } as const
  const namesOf = (proofs: AccessScope): string => proofs.map(({ namespace }) => namespace).join(',')
  if (namesOf(await reviewScope(directory, caller, again)) !== namesOf(access))
    throw new Error('the permitted namespaces of a stream have changed')
}

interface Served {
  readonly access: AccessScope<'watch', 'events'>
  readonly after: bigint
  /** Undefined shows every type. */
  readonly types: ReadonlySet<string> | undefined
  readonly source: Source
}

async function serve(
  services: IntegrationsServices,
  call: EventsCall,
  { access, after, types, source }: Served,
): Promise<undefined> {
  const { caller } = call
  const [{ namespace } = { namespace: '' }] = access
  const stream = openEventStream(call, { recheck: () => recheck(call, access) })
  const closed = new AbortController()
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void stream.closed.then(() => closed.abort())
  const rights = services.core.eventRights(caller, namespace)
  try {
    for await (const events of services.feed.follow(access, after, closed.signal))
      for (const event of events) {
        if (stream.ended) return undefined
        if (types?.has(event.type) === false) continue
        if (await rights.maySee(event)) await stream.send(frameOf(event, source))
      }
  } catch (error) {
    const { title, status, code, retryable } = toProblemResponse(error).problem
    services.core.log.warn({ code }, 'event stream ended: read failed')
    await stream.send(encodeFrame({ event: 'error', data: JSON.stringify({ title, status, code, retryable }) }))
    stream.end()
  }
  return undefined
}

// Followers of a namespace get the same event objects, so each is encoded once for all of them.
const frames = new WeakMap<StoredEvent, Buffer>()

function frameOf(event: StoredEvent, source: Source): Buffer {
  const known = frames.get(event)
  if (known !== undefined) return known
  const cloudEvent = toCloudEvent(event, source)
  const frame = encodeFrame({ event: event.type, id: cloudEvent.sequence, data: JSON.stringify(cloudEvent) })
  frames.set(event, frame)
  return frame
}

// A sequence of an earlier epoch is from before a restore: the log may be shorter than before, so the position is limited to its end.
async function toPosition(
  { store }: IntegrationsServices,
  field: string,
  sequence: string | undefined,
): Promise<bigint> {
  if (sequence === undefined) return store.newestPosition()
  if (sequence === 'start') return 0n
  const [, epoch, position] = /^(\d{6})-(\d{20})$/.exec(sequence) ?? []
  if (epoch === undefined || position === undefined) throw refuse(field, patternText(SEQUENCE_PATTERN))
  const [current, last] = [await store.epoch(), await store.newestPosition()]
  if (Number(epoch) > current) throw refuse(field, 'has an epoch that has not begun')
  if (Number(epoch) === current && BigInt(position) > last) throw refuse(field, 'is after the newest event')
  return BigInt(position) > last ? last : BigInt(position)
}

function toTypes(services: IntegrationsServices, type: string | undefined): ReadonlySet<string> | undefined {
  if (type === undefined) return undefined
  const named = type.split(',')
  const known = services.core.eventTypes()
  // Named by position: the value is input of the caller.
  const unknown = named.findIndex((one) => !known.has(one))
  if (unknown >= 0)
    throw refuse(
      '?type',
      `has an unknown event type at position ${unknown + 1}${suggest(named[unknown] ?? '', seenTypes(services))}`,
    )
  return new Set(named)
}

// `run.created` is the common name of `dev.mesh.runs.created.v1`. Only types of the event log's readers are suggested.
function suggest(word: string, types: readonly EventType[]): string {
  const [noun = '', fact = ''] = word.toLowerCase().split('.')
  const guess = types.find(({ plugin, fact: its }) => its === fact && (plugin === noun || plugin === `${noun}s`))
  return guess === undefined ? '; see docs/reference/events.md' : `; did you mean ${guess.type}?`
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('malformed_request', `${pointer.replace('?', '')} ${detail}.`, { errors: [{ pointer, detail }] })
}
