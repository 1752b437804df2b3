/** Milliseconds of an answered request to the BFF, with when it was answered (`performance.now()`). */
export interface Latency {
  readonly at: number
  readonly ms: number
}
