import { UNKNOWN } from './unknown.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Three figures and one unit, or two units: `8.4 ms`, `840 ms`, `3.42 s`, `32.0 s`, `2 m 04 s`, `4 h 12 m`, `3 d 04 h`. */
export function toDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms) || ms < 0) return UNKNOWN
  if (ms === 0) return '0 ms'
  // Each bound is where the rounded value would have one figure more.
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_995) return `${(ms / SECOND).toFixed(2)} s`
  if (ms < 59_950) return `${(ms / SECOND).toFixed(1)} s`
  const seconds = Math.round(ms / SECOND) * SECOND
  if (seconds < HOUR) return twoUnits(seconds, [MINUTE, 'm', SECOND, 's'])
  const minutes = Math.round(ms / MINUTE) * MINUTE
  if (minutes < DAY) return twoUnits(minutes, [HOUR, 'h', MINUTE, 'm'])
  return twoUnits(Math.round(ms / HOUR) * HOUR, [DAY, 'd', HOUR, 'h'])
}

function twoUnits(ms: number, [large, largeUnit, small, smallUnit]: readonly [number, string, number, string]): string {
  const rest = String(Math.floor((ms % large) / small)).padStart(2, '0')
  return `${Math.floor(ms / large)} ${largeUnit} ${rest} ${smallUnit}`
}

const spoken = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const

/** A duration as a screen reader says it: `555 milliseconds`, `5 minutes 19 seconds`. */
export function toSpokenDuration(ms: number): string {
  if (ms < 999.5) return unitOf(Math.round(ms), 'millisecond')
  if (ms < 59_950) return unitOf(Number((ms / SECOND).toFixed(1)), 'second')
  const rounded = Math.round(ms / SECOND) * SECOND
  const at = spoken.findIndex(([size]) => rounded >= size)
  const [size, unit] = spoken[at] ?? spoken[3]
  const [small, smallUnit] = spoken[at + 1] ?? spoken[3]
  const rest = Math.floor((rounded % size) / small)
  return `${unitOf(Math.floor(rounded / size), unit)}${rest === 0 ? '' : ` ${unitOf(rest, smallUnit)}`}`
}

function unitOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
