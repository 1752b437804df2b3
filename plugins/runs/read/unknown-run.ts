import { Fail } from '#core/errors/domain-error.ts'

/** The error of every run that a caller may not get, of an unknown id and of a string that is no id: they do not differ. */
export function unknownRun(): Fail {
  return new Fail(
    'not_found',
    'id names no run that you may read. The id of a run is a UUID, such as 0190a5c2-7d1e-7c3a-9b2f-1a2b3c4d5e6f.',
  )
}

/** The same of a trace. */
export function unknownTrace(): Fail {
  return new Fail(
    'not_found',
    'traceId names no trace with a run that you may read. It has 32 hexadecimal digits, such as 4bf92f3577b34da6a3ce929d0e0e4736.',
  )
}
