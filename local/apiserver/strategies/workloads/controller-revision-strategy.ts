import { isObject } from '../../json/json-value.ts'
import { required } from '../../json/status.ts'
import { immutable } from '../parts/strategy-parts.ts'
import type { Strategy } from '../parts/strategy-parts.ts'

/** Strategy of ControllerRevisions: `data` is immutable. */
export const controllerRevision: Strategy = {
  validate: (object, old) => {
    if (old) return immutable(object, old, 'data')
    if (object['data'] === undefined) return [required('data', 'data is mandatory')]
    return isObject(object['data']) ? [] : [required('data', 'data must be a valid JSON object')]
  },
}
