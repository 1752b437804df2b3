/** Picks the given keys that are defined, since exact optional properties do not accept undefined. */
export function pick<T extends object, K extends keyof T>(
  from: T,
  ...keys: readonly K[]
): { [P in K]?: Exclude<T[P], undefined> } {
  const picked: { [P in K]?: Exclude<T[P], undefined> } = {}
  for (const key of keys) {
    const value = from[key]
    if (value !== undefined) picked[key] = value as Exclude<T[K], undefined>
  }
  return picked
}
