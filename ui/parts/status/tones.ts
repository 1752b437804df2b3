import styles from './tones.module.css'

/** What a colour means. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'wait' | 'mute'

/** The class that sets `--tone`, `--tone-bg` and `--tone-fill` for an element and those in it. */
export function toneClass(tone: Tone): string {
  return styles[tone] ?? ''
}
