/** Whether a value of a server is JSON that every store can hold: bounded depth, finite numbers, no key `__proto__`. */
export function isPlain(value: unknown, maxDepth: number): boolean {
  // With an explicit stack: a deep value must not end the process.
  const left: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value: one, depth } = next
    if (typeof one === 'number' && !Number.isFinite(one)) return false
    if (typeof one !== 'object' || one === null) continue
    if (depth >= maxDepth || Object.hasOwn(one, '__proto__')) return false
    for (const child of Object.values(one)) left.push({ value: child, depth: depth + 1 })
  }
  return true
}
