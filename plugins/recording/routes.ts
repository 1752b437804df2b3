import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { RunParams } from '#schemas/api/run-requests.ts'
import { Fixture } from '#schemas/runs/fixture.ts'
import { createFixtureClient } from './fixture-client.ts'
import type { RecordingServices } from './services.ts'

/** The route below `/api`: only the state role has access to the object store. */
export function recordingRoutes({ core, reviewFixture }: RecordingServices): readonly AnyEndpoint[] {
  const read = createFixtureClient(core.urls.state)
  const fixture = endpoint({
    method: 'GET',
    url: '/runs/:id/fixture',
    id: 'getRunFixture',
    summary: 'Get the recording of a run: its model calls and tool calls without secrets, to replay it.',
    authz: { kind: 'row', verb: 'get', resource: 'runs/fixture' },
    params: RunParams,
    response: { 200: Fixture },
    stream: true,
    review: async ({ caller, params }) => (await reviewFixture(caller, params.id)).access,
    handle: async ({ params, bearer, signal, reply }) => {
      const body = await read({ runId: params.id, bearer, signal })
      reply.header('content-type', 'application/json; charset=utf-8')
      return body
    },
  })
  return [fixture]
}
