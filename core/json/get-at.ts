/** The value at a path of plain objects and lists. */
export function getAt(tree: unknown, path: readonly string[]): unknown {
  let node = tree
  for (const name of path) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined
    node = new Map(Object.entries(node)).get(name)
  }
  return node
}
