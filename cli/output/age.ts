const steps = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const

/** Age in its largest unit, such as `3d`; `0s` for a time that is not over. */
export function toAge(time: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - time.getTime()) / 1_000))
  const [size, unit] = steps.find(([least]) => seconds >= least) ?? [1, 's']
  return `${Math.floor(seconds / size)}${unit}`
}
