import type { Fixture, FixturePart } from '#schemas/runs/fixture.ts'
import { opaque } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

/** A launcher stores a part of the recording of a run of its agent. The route checks it as `FixturePart`. */
export const sendPart = statePath({
  method: 'POST',
  path: '/recording/parts',
  request: opaque<FixturePart>({ type: 'object' }),
  status: 204,
  response: opaque<undefined>({}),
})

/** The API reads the merged recording of a run, with the bearer token of its caller; the body is streamed. */
export const readFixture = statePath({
  method: 'GET',
  path: '/recording/runs/:id/fixture',
  status: 200,
  response: opaque<Fixture>({ type: 'object' }),
})
