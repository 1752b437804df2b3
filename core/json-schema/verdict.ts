/** Whether a value fits a schema; undefined: the schema has a keyword that is not interpreted, so neither is certain. */
export type SchemaVerdict = boolean | undefined

/** Opposite of a verdict. An uncertain verdict stays uncertain: a `not` must not refuse by a keyword that is not interpreted. */
export function opposite(verdict: SchemaVerdict): SchemaVerdict {
  return verdict === undefined ? undefined : !verdict
}

/** Whether every item fits. Stops at the first that does not. */
export function allFit<Item>(items: Iterable<Item>, judge: (item: Item) => SchemaVerdict): SchemaVerdict {
  let verdict: SchemaVerdict = true
  for (const item of items) {
    const one = judge(item)
    if (one === false) return false
    if (one === undefined) verdict = undefined
  }
  return verdict
}

/** Whether some item fits. Stops at the first that does. */
export function someFits<Item>(items: Iterable<Item>, judge: (item: Item) => SchemaVerdict): SchemaVerdict {
  return opposite(allFit(items, (item) => opposite(judge(item))))
}

/** Whether exactly one item fits. */
export function oneFits<Item>(items: Iterable<Item>, judge: (item: Item) => SchemaVerdict): SchemaVerdict {
  let fitting = 0
  let isUncertain = false
  for (const item of items) {
    const one = judge(item)
    if (one === undefined) isUncertain = true
    if (one === true) fitting += 1
    if (fitting > 1) return false
  }
  return isUncertain ? undefined : fitting === 1
}
