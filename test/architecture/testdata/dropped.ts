async function work(): Promise<void> {
  throw new Error('rejected')
}

/** Each statement marked with an arrow drops a promise; the others handle its rejection or have none. */
export async function examples(maybe: Promise<void> | undefined): Promise<void> {
  void work() // <-
  // oxlint-disable-next-line promise/catch-or-return
  work().finally(() => undefined) // <-
  setTimeout(() => {
    void maybe?.then(() => undefined) // <-
  }, 0)
  setTimeout(() => void maybe?.then(() => undefined), 0) // <- no-void: an expression hides the promise from the rule above
  void work().catch(() => undefined)
  work()
    .catch(() => undefined)
    .finally(() => undefined)
  work().then(
    () => undefined,
    () => undefined,
  )
  await work()
}
