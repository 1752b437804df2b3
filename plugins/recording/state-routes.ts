import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { RunParams } from '#schemas/api/run-requests.ts'
import { nothing } from '#schemas/api/common.ts'
import { MAX_PART_BYTES } from '#schemas/runs/fixture-format.ts'
import { Fixture, FixturePart } from '#schemas/runs/fixture.ts'
import { runs } from '#plugins/runs/index.ts'
import { recordingErrors } from './contract/errors.ts'
import type { RecordingServices } from './services.ts'
import { readFixture, sendPart } from './contract/wire.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import { storePart } from './store/store-part.ts'
import { isRecorded } from './store/sizes.ts'
import type { RecordingTables } from './contract/tables.ts'
import { listParts, streamFixture } from './contract/format/stream-fixture.ts'

/** Parsing and serializing a part may make it longer: 1e20 has 21 digits. */
const PART_BODY_BYTES = 2 * MAX_PART_BYTES

/** Routes of the state role, the only role with credentials of the object store. */
export function recordingStateRoutes(services: RecordingServices, state: StateContext): readonly AnyEndpoint[] {
  return [partEndpoint(services, state), fixtureEndpoint(services, state)]
}

function partEndpoint(services: RecordingServices, state: StateContext): AnyEndpoint {
  const system = state.system(runs)
  return endpoint({
    ...stateRoute(sendPart),
    summary: 'Store a part of the recording of a run of the agent whose pod calls.',
    authz: { kind: 'agent' },
    body: FixturePart,
    bodyLimit: PART_BODY_BYTES,
    response: { 204: nothing },
    handle: async ({ access: { agent }, body: part }) => {
      // By uid: a re-created agent does not record runs of the former one.
      const run = await system.runOf(agent.uid, { runId: part.runId })
      if (run === undefined) {
        services.counted('unknown_run')
        throw new Fail('not_found')
      }
      await storePart(services, configured(state.objects), run, part as FixturePart)
    },
  })
}

// For the BFF with the bearer token of its caller, as for conversations: other tokens at this role belong to pods.
function fixtureEndpoint({ core, reviewFixture }: RecordingServices, state: StateContext): AnyEndpoint {
  return endpoint({
    ...stateRoute(readFixture),
    summary: 'Get the merged recording of a run, for a user.',
    authz: { kind: 'token', of: 'a user', verify: (bearer) => core.cluster.as(bearer) },
    params: RunParams,
    response: { 200: Fixture },
    stream: true,
    handle: async ({ access: caller, params, reply }) => {
      await reviewFixture(caller, params.id)
      const objects = configured(state.objects)
      const keys = await listParts(objects, params.id)
      // A recording whose parts were all lost is not complete; a run without recorded parts has no fixture.
      if (keys.length === 0 && !(await isRecorded(core.store.reader<RecordingTables>(), params.id)))
        throw new Fail(recordingErrors.no_fixture)
      reply.header('content-type', 'application/json; charset=utf-8')
      return streamFixture(objects, params.id, keys)
    },
  })
}

function configured(objects: ObjectStore | undefined): ObjectStore {
  if (objects === undefined) throw new Fail('not_wired', 'No object store is configured (OBJECT_STORE_ADDR).')
  return objects
}
