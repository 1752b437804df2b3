import { Fail } from '#core/errors/domain-error.ts'

/** The error of every run that a caller may not get, of an unknown id and of a string that is not an id. The responses are indistinguishable. */
export function unknownRun(): Fail {
  return new Fail(
    'not_found',
    'There is no run with this id, or you may not read it. The id of a run is a UUID, such as 0190a5c2-7d1e-7c3a-9b2f-1a2b3c4d5e6f.',
  )
}

/** The same error for a trace. */
export function unknownTrace(): Fail {
  return new Fail(
    'not_found',
    'There is no trace with this traceId and a run that you may read. It has 32 hexadecimal digits, such as 4bf92f3577b34da6a3ce929d0e0e4736.',
  )
}
