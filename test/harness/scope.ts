/** The part of a test context that the harness uses: `t` of node:test, or `{ after }` imported from it for a whole file. */
export interface Scope {
  after(fn: () => unknown): void
  skip?(message?: string): void
}
