/** A revision and when it began to serve. */
export interface ServedRevision {
  readonly revision: string
  readonly from: string
  /** It was taken back. */
  readonly isRolledBack: boolean
}

/** A part of the band: where it begins and how long it is, in percent. */
export interface BandPart {
  readonly revision: string
  readonly isRolledBack: boolean
  readonly left: number
  readonly width: number
}

/** Revisions on a band of some days that ends now. One that served before is cut at the start. */
export function toBand(served: readonly ServedRevision[], now: number, days: number): readonly BandPart[] {
  const start = now - days * 86_400_000
  const place = (time: number): number => Math.min(100, Math.max(0, ((time - start) / (now - start)) * 100))
  const ordered = served
    .map((one) => ({ ...one, at: Date.parse(one.from) }))
    .filter(({ at }) => at <= now)
    .toSorted((a, b) => a.at - b.at)
  return ordered
    .map(({ revision, isRolledBack, at }, index) => {
      const left = place(at)
      return { revision, isRolledBack, left, width: place(ordered[index + 1]?.at ?? now) - left }
    })
    .filter(({ width }) => width > 0)
}
