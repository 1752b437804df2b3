import type { KeyFile } from './key-files.ts'
import { createdAt, filesOf, newKeyFile } from './key-files.ts'
import type { KeyName, KeyType, KeyTypes } from './keyring.ts'

/** Changes of a set of key files. */
export interface KeyPlan {
  /** Text by file name. */
  readonly add: ReadonlyMap<string, string>
  readonly remove: readonly string[]
}

/** Options of a rotation. */
export interface RotationOptions {
  readonly now: Date
  /** Rotates although the newest key is younger than {@link LEAST_PAUSE_MS}. */
  readonly force?: boolean
  /** For a leaked key: immediately removes every key older than the signing one. Tokens that the removed keys signed are refused. */
  readonly revoke?: boolean
}

/** Shortest time between two rotations: every process has read the published key by then. */
export const LEAST_PAUSE_MS = 3_600_000

/** Time that a key verifies after it stopped signing: the seven days of a grant, and a day for clocks and queues. */
export const KEEP_MS = 8 * 24 * 3_600_000

/** Creates missing keys and keeps existing ones: per name a signing key, and the one that is published before it signs. */
export function planInit(files: readonly string[], types: KeyTypes, now: Date): KeyPlan {
  const missing = [...types].filter(([name]) => filesOf(files, name).length === 0)
  return { add: new Map(missing.flatMap(([name, type]) => pairOf(name, type, now))), remove: [] }
}

/**
 * One step of rotation (ADR 0025). A new key is published, and the one published before starts to sign. Older ones still verify until {@link
 * KEEP_MS} is over. A second call within {@link LEAST_PAUSE_MS} adds nothing. Pure except for the random keys.
 */
export function planRotation(files: readonly string[], types: KeyTypes, options: RotationOptions): KeyPlan {
  const steps = [...types].map(([name, type]) => stepOf([name, type], filesOf(files, name), options))
  return { add: new Map(steps.flatMap(({ add }) => [...add])), remove: steps.flatMap(({ remove }) => remove) }
}

function stepOf(
  [name, type]: readonly [KeyName, KeyType],
  keys: readonly KeyFile[],
  { now, force, revoke }: RotationOptions,
): KeyPlan {
  const newest = keys.at(-1)
  if (newest === undefined) return { add: new Map(pairOf(name, type, now)), remove: [] }
  const due = force === true || now.getTime() - createdAt(newest) >= LEAST_PAUSE_MS
  // Ids order the keys, even when a clock went back between two rotations.
  const at = new Date(Math.max(now.getTime(), createdAt(newest) + 1))
  const add = due ? [newKeyFile(name, type, at)] : []
  const all = [...keys.map(({ id }) => id), ...add.map(() => '')]
  const remove = keys.filter((_key, index) => {
    if (index >= all.length - 2) return false
    // A key stopped signing when the second one after it was created.
    const successor = keys[index + 2]
    return revoke === true || (successor !== undefined && now.getTime() - createdAt(successor) > KEEP_MS)
  })
  return { add: new Map(add), remove: remove.map(({ file }) => file) }
}

function pairOf(name: KeyName, type: KeyType, now: Date): (readonly [string, string])[] {
  return [newKeyFile(name, type, now), newKeyFile(name, type, new Date(now.getTime() + 1))]
}
