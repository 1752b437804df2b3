import { Type } from 'typebox'
import type { Access } from '#core/cluster/access.ts'
import { toCloudEvent } from '#core/events/cloudevents.ts'
import { type AnyEndpoint, endpoint } from '#core/http/endpoint.ts'
import { Fail } from '#core/http/errors.ts'
import { openEventStream } from '#core/http/event-stream.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { namespaceQuery } from '#schemas/api/common.ts'
import type { RunsInner } from '../inner.ts'
import { pause } from '../worker/pause.ts'

const pageSize = 200
const pollMs = 500

const EventsQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    after: Type.Optional(
      Type.String({ pattern: '^\\d{6}-\\d{20}$', description: 'sequence of the last event that was seen.' }),
    ),
  },
  { additionalProperties: false },
)

/** `GET /api/events`: domain events as CloudEvents, in commit order, for whoever may `watch events`. */
export function eventDoor(inner: RunsInner): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/events',
    summary: 'Domain events as CloudEvents (text/event-stream), in commit order, after a sequence.',
    authz: {
      kind: 'review',
      verb: 'watch',
      resource: 'events',
      namespace: { in: 'query', field: 'namespace', absent: 'cluster' },
    },
    stream: true,
    query: EventsQuery,
    response: {},
    handle: async (call) => {
      const { caller, query, headers } = call
      const access = call.access as Access<'watch', 'events'>
      let position = toPosition(query.after ?? headers['last-event-id'])
      const source = { install: inner.core.install, epoch: await inner.store.epoch() }
      const review = () => caller.review('watch', 'events', { namespace: access.namespace })
      const stream = openEventStream(call, { recheck: review })
      const gone = new AbortController()
      void stream.closed.then(() => gone.abort())
      while (!stream.ended) {
        const events = await inner.store.readEvents(access, position, pageSize)
        for (const event of events) {
          const cloudEvent = toCloudEvent(event, source)
          await stream.send(
            encodeFrame({ event: event.type, id: cloudEvent.sequence, data: JSON.stringify(cloudEvent) }),
          )
          position = event.position
        }
        if (events.length < pageSize) await pause(pollMs, gone.signal)
      }
      return undefined
    },
  })
}

function toPosition(sequence: string | undefined): bigint {
  if (sequence === undefined) return 0n
  const [, position] = /^\d{6}-(\d{20})$/.exec(sequence) ?? []
  if (position !== undefined) return BigInt(position)
  throw new Fail('malformed_request', 'Last-Event-ID is not a sequence of this stream.', {
    errors: [{ pointer: 'Last-Event-ID', detail: 'must be a sequence' }],
  })
}
