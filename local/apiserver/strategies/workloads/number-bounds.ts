import type { Json } from '../../json/json-value.ts'
import { invalidValue } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** The cause of a negative number or of an invalid percentage. */
export function boundFaults(bound: Json | undefined, key: string): Cause[] {
  if (typeof bound === 'number' && bound < 0)
    return [invalidValue(`spec.${key}`, bound, 'must be greater than or equal to 0')]
  if (typeof bound === 'string' && !/^\d+%$/.test(bound)) return [invalidValue(`spec.${key}`, bound, PERCENT)]
  return []
}
