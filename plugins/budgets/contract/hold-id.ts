import { Type } from 'typebox'

const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

/** Id of a hold, and key of a request. */
export const HoldId = Type.String({ pattern: uuid, maxLength: 36 })
