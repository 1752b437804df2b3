import { toExact, toRelative } from '../format/times.ts'
import { useTimeZone } from '../preference/time-zone.ts'
import { useNow } from './clock.ts'

interface TimeProps {
  readonly at: string | null | undefined
  /** Shows the exact time, as the audit log does. */
  readonly isExact?: boolean
}

/** A time: relative, with the exact one on hover and focus. */
export function Time({ at, isExact = false }: TimeProps) {
  const now = useNow(at)
  const zone = useTimeZone()
  if (at === null || at === undefined) return <span className="faint">{toExact(at)}</span>
  const exact = toExact(at, zone)
  return (
    <time className="num dim" dateTime={at} {...(isExact ? {} : { 'data-tip': exact })}>
      {isExact ? exact : toRelative(at, now)}
    </time>
  )
}
