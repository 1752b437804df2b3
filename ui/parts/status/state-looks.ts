import type { IconName } from '../icon/icons.ts'
import type { Tone } from './tones.ts'

/** How a state is drawn: three signs that say the same, so that none is needed. */
export interface StateLook {
  readonly tone: Tone
  readonly icon: IconName
  readonly label: string
}

const looks: Readonly<Record<string, StateLook>> = {
  queued: { tone: 'mute', icon: 'dashed', label: 'Queued' },
  running: { tone: 'info', icon: 'turning', label: 'Running' },
  paused: { tone: 'wait', icon: 'paused', label: 'Paused' },
  succeeded: { tone: 'ok', icon: 'check', label: 'Succeeded' },
  failed: { tone: 'bad', icon: 'cross', label: 'Failed' },
  cancelled: { tone: 'mute', icon: 'barred', label: 'Cancelled' },
  cancelling: { tone: 'mute', icon: 'barred', label: 'Cancelling' },
  timed_out: { tone: 'warn', icon: 'expired', label: 'Timed out' },
  rejected: { tone: 'warn', icon: 'shield-cross', label: 'Rejected' },
  ready: { tone: 'ok', icon: 'check', label: 'Ready' },
  progressing: { tone: 'info', icon: 'turning', label: 'Rolling out' },
  degraded: { tone: 'bad', icon: 'alert', label: 'Degraded' },
  notready: { tone: 'warn', icon: 'hourglass', label: 'Not ready' },
  missing: { tone: 'bad', icon: 'cross', label: 'Missing' },
  healthy: { tone: 'ok', icon: 'check', label: 'Healthy' },
  failing: { tone: 'bad', icon: 'cross', label: 'Failing' },
  idle: { tone: 'mute', icon: 'moon', label: 'Scaled to zero' },
  gated: { tone: 'warn', icon: 'hourglass', label: 'Held by gate' },
  inconclusive: { tone: 'warn', icon: 'hourglass', label: 'Inconclusive' },
  pending: { tone: 'mute', icon: 'dashed', label: 'Waiting' },
  passed: { tone: 'ok', icon: 'check', label: 'Passed' },
  overridden: { tone: 'warn', icon: 'shield-cross', label: 'Overridden' },
  success: { tone: 'ok', icon: 'check', label: 'Success' },
  ok: { tone: 'ok', icon: 'check', label: 'OK' },
  error: { tone: 'bad', icon: 'cross', label: 'Error' },
  denied: { tone: 'warn', icon: 'shield-cross', label: 'Denied' },
  approval_required: { tone: 'wait', icon: 'waiting', label: 'Approval' },
  unknown: { tone: 'mute', icon: 'dashed', label: 'Unknown' },
}

/** The states that have a look of their own. */
export const knownStates: readonly string[] = Object.keys(looks)

/** The look of a state; one that this console does not know is shown as it came. */
export function lookOf(state: string): StateLook {
  const key = state.toLowerCase()
  return Object.hasOwn(looks, key) ? looks[key]! : { tone: 'mute', icon: 'dashed', label: state }
}
