import type { LiveState } from '../../api/live/live.ts'
import { text } from '../../text/en.ts'
import styles from './live-badge.module.css'
import { toneClass } from './tones.ts'
import type { Tone } from './tones.ts'

const tones: Readonly<Record<LiveState['kind'], Tone>> = {
  live: 'ok',
  reconnecting: 'warn',
  polling: 'info',
  paused: 'mute',
  gap: 'warn',
}

/** How fresh the page is: a dot with a word. */
export function LiveBadge({ state }: { readonly state: LiveState }) {
  return (
    <span className={`${styles['live']} ${toneClass(tones[state.kind])}`}>
      <i className={`${styles['dot']} ${state.kind === 'live' ? styles['pulse'] : ''}`} />
      {wordsOf(state)}
    </span>
  )
}

function wordsOf(state: LiveState): string {
  if (state.kind === 'polling') return text.live.polling(state.seconds)
  if (state.kind === 'gap') return text.live.gap(state.missed)
  return text.live[state.kind]
}
