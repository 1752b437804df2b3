/** A map of computed values with at most `most` entries: definitions and requests choose the keys. */
export function createCache<Value>(most: number, compute: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = compute(key)
    const [oldest] = values.keys()
    if (values.size >= most && oldest !== undefined) values.delete(oldest)
    values.set(key, value)
    return value
  }
}
