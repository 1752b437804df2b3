const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a duration such as `30s`, `1h30m` or `250ms` (the pattern of `parts.ts`); undefined when it is none. */
export function durationToMs(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:ms|s|m|h|d)){1,5}$/.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(/(\d{1,9})(ms|s|m|h|d)/g))
    total += Number(count) * (UNIT_MS[unit ?? ''] ?? 0)
  return total
}
