import { Type } from 'typebox'

/** Id of a run, one schema for API and events: so that generated clients have one type for it. The store keeps it as `uuid`. */
export const RunId = Type.String({
  format: 'uuid',
  description: 'UUIDv7 of the run.',
  examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a00'],
})
