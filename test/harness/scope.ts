/** What a harness function needs of a test context: `t` of node:test, or `{ after }` imported from it for a whole file. */
export interface Scope {
  after(fn: () => unknown): void
  skip?(message?: string): void
}
