/** Flags of V8 with which image, package and `npm start` run the platform's processes (ADR 0017). */
export const heapFlags: readonly string[] = ['--heap-growing-percent=100', '--max-semi-space-size=4']
