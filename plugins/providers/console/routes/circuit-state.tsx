import type { IconName } from '#ui/parts/icon/icons.ts'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { Tone } from '#ui/parts/status/tones.ts'
import type { DrawnCircuit, DrawnTarget } from './route-plan.ts'
import { routesText } from './text.ts'

const text = routesText.circuits

const looks: Readonly<Record<DrawnCircuit, { readonly tone: Tone; readonly icon: IconName }>> = {
  closed: { tone: 'ok', icon: 'check' },
  'half-open': { tone: 'warn', icon: 'hourglass' },
  open: { tone: 'bad', icon: 'barred' },
  unknown: { tone: 'mute', icon: 'dashed' },
}

/** The circuit of a target: word, sign and tone. */
export function CircuitTag({ circuit }: Pick<DrawnTarget, 'circuit'>) {
  return <Tag {...looks[circuit]}>{text[circuit]}</Tag>
}

/** What gateways say of a target beside its circuit: what failed last, and at how many of them. */
export function circuitWords({ circuit, gateways, lastErrorClass }: DrawnTarget): string {
  const words = [
    ...(circuit !== 'closed' && gateways.all > 1 ? [text.gateways(gateways.open, gateways.all)] : []),
    ...(lastErrorClass === undefined ? [] : [text.lastError(lastErrorClass.replaceAll('_', ' '))]),
  ]
  return words.join(', ')
}
