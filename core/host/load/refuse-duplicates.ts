import { BootError } from './startup-error.ts'
import type { DeclaredValue } from './slot-values.ts'

/**
 * Refuses a key that two values claim. Two consumers with the same name would each get a part of the events; of two jobs, one would never
 * lead. `what` names the key in the message: `the consumer runs.intake`.
 */
export function refuseShared<T>(
  declared: readonly DeclaredValue<T>[],
  what: string,
  keysOf: (value: T) => readonly string[],
): void {
  const owners = new Map<string, string>()
  for (const { owner, value } of declared)
    for (const key of keysOf(value)) {
      const other = owners.get(key)
      if (other === owner) throw new BootError(`${owner} declares ${what} ${key} twice`)
      if (other !== undefined) throw new BootError(`${other} and ${owner} both declare ${what} ${key}`)
      owners.set(key, owner)
    }
}
