import { anyObject, count, reply } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

/** A launcher sends spans of its agent: an `ExportTraceServiceRequest` in the JSON encoding of OTLP. */
export const sendSpans = statePath({
  method: 'POST',
  path: '/spans',
  request: anyObject,
  status: 200,
  response: reply({ accepted: count, rejected: count }),
})
