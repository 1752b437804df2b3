const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

const minutes = [1, 2, 5, 10, 15, 20, 30].map((count) => count * MINUTE)
const hours = [1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR)

/** The narrowest width of bins, in seconds, that is at least the given one: bounds of bins are those of rows of sums. */
export function fittingBin(seconds: number): number {
  return [...minutes, ...hours].find((width) => width >= seconds) ?? Math.ceil(seconds / DAY) * DAY
}

/** Whether bins of this width are made up of rows of sums. */
export function isBinWidth(seconds: number): boolean {
  return [...minutes, ...hours].includes(seconds) || (seconds > 0 && seconds % DAY === 0)
}
