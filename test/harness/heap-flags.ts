/** Flags of V8 used by image, package and `npm start` (ADR 0017 and 0092). */
export const heapFlags: readonly string[] = [
  '--heap-growing-percent=100',
  '--no-memory-reducer',
  '--max-semi-space-size=4',
]
