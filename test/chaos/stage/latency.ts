/** Latency of a request to the BFF in milliseconds, and when it completed (`performance.now()`). */
export interface Latency {
  readonly at: number
  readonly ms: number
}
