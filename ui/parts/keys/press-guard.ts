const AGAIN_MS = 300

/**
 * Whether a press decides. A second press within 300 ms counts as the first one. A decision that has just moved into the place of another
 * takes no press that was meant for that one.
 */
export function isOwnPress(
  at: number,
  { shownAt, lastAt }: { readonly shownAt: number; readonly lastAt: number },
): boolean {
  return at - shownAt >= AGAIN_MS && at - lastAt >= AGAIN_MS
}
