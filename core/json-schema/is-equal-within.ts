import { isObject } from '#core/json/is-object.ts'
import { stepsOf } from './steps.ts'
import type { Spend } from './steps.ts'

/** Whether two JSON values are equal, regardless of the order of keys. Recursive: the depth of one must be bounded. */
export function isEqualWithin(one: unknown, other: unknown, spend: Spend): boolean {
  spend(typeof one === 'string' ? stepsOf(one) : 1)
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, index) => isEqualWithin(item, other[index], spend))
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const keys = Object.keys(one)
  spend(keys.length)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && isEqualWithin(one[key], other[key], spend))
}
