/** Steps that undo what a session has opened, in the order of the opening. */
export type Closers = (() => Promise<unknown> | void)[]

/** Closes in reverse order. Every step is taken; throws `AggregateError` if some failed. */
export async function closeInReverse(closers: Closers): Promise<void> {
  const failed: unknown[] = []
  for (const close of closers.toReversed()) await Promise.resolve(close()).catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('; '))
}
