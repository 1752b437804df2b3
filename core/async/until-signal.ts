/** Resolves with the first SIGTERM or SIGINT. A second one of the same kind has its default effect: the process ends. */
export function untilSignal(): Promise<'SIGTERM' | 'SIGINT'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
}
