/** Round values of an axis from 0 to a maximum: 0, 50, 100; at most `most` above 0. The last one is not below the maximum. */
export function axisTicks(maximum: number, most = 4): readonly number[] {
  if (!Number.isFinite(maximum) || maximum <= 0) return [0, 1]
  const rough = maximum / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10
  const step = factor * power
  const count = Math.ceil(maximum / step - 1e-9)
  // By a product: sums of fractions drift.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** Which of many labels are shown, so that they do not touch: always the first, and the others at equal distances. */
export function shownLabels(count: number, room: number): ReadonlySet<number> {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)))
  return new Set(Array.from({ length: count }, (_, index) => index).filter((index) => index % every === 0))
}
