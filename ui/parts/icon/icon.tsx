import { icons } from './icons.ts'
import type { IconName } from './icons.ts'

interface IconProps {
  readonly name: IconName
  readonly size?: number
  readonly stroke?: number
  readonly className?: string | undefined
}

/** An icon beside words, which say the same: screen readers pass over it. */
export function Icon({ name, size = 15, stroke = 1.8, className = '' }: IconProps) {
  const Drawn = icons[name]
  return <Drawn size={size} stroke={stroke} className={className} aria-hidden focusable={false} />
}
