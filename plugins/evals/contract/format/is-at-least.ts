/** Whether a score reaches another one: sums of binary fractions differ in their last digits. */
export function isAtLeast(score: number, least: number): boolean {
  return score >= least - 1e-9
}
