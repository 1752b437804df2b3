/** How long to wait before the n-th try again (0 is the first): exponential between the bounds, half of it jitter. */
export function backoffMs(
  failures: number,
  bounds: { readonly minMs: number; readonly maxMs: number },
  random: () => number = Math.random,
): number {
  const whole = Math.min(bounds.maxMs, bounds.minMs * 2 ** Math.min(failures, 30))
  // Jitter keeps replicas, and objects that failed together, from coming back together.
  return whole / 2 + (whole / 2) * random()
}
