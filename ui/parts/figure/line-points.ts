/** A point of a drawing. */
export interface LinePoint {
  readonly x: number
  readonly y: number
}

/** Points of a line in a box. Unknown values are gaps. The y axis begins at 0, so that a small change does not look like a large one. */
export function toLines(
  values: readonly (number | null)[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly (readonly LinePoint[])[] {
  const most = Math.max(...values.map((value) => value ?? 0), 0)
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0
  const lines: LinePoint[][] = [[]]
  for (const [index, value] of values.entries()) {
    if (value === null) lines.push([])
    else lines.at(-1)?.push({ x: 1 + index * step, y: height - 2 - (most === 0 ? 0 : (value / most) * (height - 5)) })
  }
  return lines.filter((line) => line.length > 0)
}

/** The path of a line. */
export function toPath(line: readonly LinePoint[]): string {
  return line.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}
