import { Type } from 'typebox'

/** Id of a run, one schema for API and events: generated clients then have one type for it. The store keeps it as `uuid`. */
export const RunId = Type.String({ format: 'uuid', description: 'UUIDv7 of the run.' })
