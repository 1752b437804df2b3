import { isObject } from '#core/json/is-object.ts'

/** Throws with the reason unless the condition holds: untyped code may omit arguments, and their use would fail far from the call. */
export function demand(holds: boolean, why: string): asserts holds {
  if (!holds) throw new TypeError(why)
}

/** Throws unless a domain is in reverse DNS form. */
export function demandDomain(domain: string): void {
  demand(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain), `${domain}: must be a reverse DNS name`)
}

/** Whether a value has a name, as points and tasks do. */
export function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value.name === 'string'
}
