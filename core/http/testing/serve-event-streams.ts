import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import { openEventStream } from '../stream/event-stream.ts'
import type { EventStream } from '../stream/event-stream.ts'
import { buildServer } from './build-server.ts'

/** Serves `GET /api/events` on a free loopback port, with room for 10,000 streams, and passes each to `entered`. Returns the port. */
export async function serveEventStreams(entered: (stream: EventStream) => void): Promise<number> {
  const events = endpoint({
    method: 'GET',
    url: '/events',
    summary: 'Events.',
    authz: { kind: 'bearer' },
    stream: true,
    response: { 200: Type.Object({}) },
    handle: async (call) => entered(openEventStream(call)),
  })
  const streams = { total: 10_000, perUser: 10_000 }
  const { app } = await buildServer({ after: () => undefined }, [{ endpoints: [events] }], {
    streams,
    limits: { underWay: 10_000, underWayPerCaller: 10_000 },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}
