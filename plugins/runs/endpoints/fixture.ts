import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { RunParams } from '#schemas/api/runs.ts'
import { runErrors } from '../errors.ts'

/** The recorded replay fixture of a run. Recording is part of the launcher's model and tool channels. */
export const fixture = endpoint({
  method: 'GET',
  url: '/runs/:id/fixture',
  id: 'getRunFixture',
  summary: 'Get the recorded replay fixture of a run.',
  authz: { kind: 'row', verb: 'get', resource: 'runs/fixture' },
  params: RunParams,
  response: { 200: Type.Object({}) },
  handle: async () => {
    throw new Fail(runErrors.no_fixture)
  },
})
