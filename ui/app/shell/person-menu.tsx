import { changePersona, signOut, useSession } from '../../api/session.ts'
import type { SessionFacts } from '../../api/session-state.ts'
import { Key } from '../../parts/control/button.tsx'
import { initialsOf } from '../../parts/format/names.ts'
import { Icon } from '../../parts/icon/icon.tsx'
import { Menu } from '../../parts/overlay/menu.tsx'
import type { MenuEntry } from '../../parts/overlay/menu.tsx'
import { showToast } from '../../parts/overlay/toast-store.ts'
import { openOverlay } from '../../parts/page/shell-store.ts'
import { text } from '../../text/en.ts'
import { chooseScheme, useScheme } from '../../parts/preference/theme.ts'
import type { SchemeChoice } from '../../parts/preference/theme.ts'
import styles from './shell.module.css'

const schemes = [
  ['light', 'sun'],
  ['dark', 'moon'],
  ['system', 'desktop'],
] as const

/** Who is signed in and until when: persona of the embedded default, theme, keyboard, documentation, both sign-outs. */
export function PersonMenu() {
  const session = useSession()?.session
  const scheme = useScheme()
  if (session === undefined || session === null) return undefined
  return (
    <Menu
      label={text.person.label}
      entries={[...personasOf(session), ...entriesOf(scheme)]}
      trigger={(props) => (
        <button type="button" className={`${styles['wideButton']} ${styles['person']}`} {...props}>
          <span className={styles['face']} aria-hidden>
            {initialsOf(session.username)}
          </span>
          <span className={styles['two']}>
            <b className="clip" dir="auto">
              {session.username}
            </b>
            <span className="clip">
              {session.persona ?? text.person.until(untilFormat.format(new Date(session.endsAt)))}
            </span>
          </span>
          <Icon name="down" size={14} />
        </button>
      )}
    />
  )
}

const untilFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

function personasOf({ personas, persona }: SessionFacts): readonly MenuEntry[] {
  if (personas.length === 0) return []
  const entries = personas.map((name): MenuEntry => ({
    kind: 'item',
    text: name,
    icon: 'person',
    isChosen: name === persona,
    onPick: () => attempt(changePersona(name)),
  }))
  return [{ kind: 'label', text: text.person.viewAs }, ...entries, { kind: 'line' }]
}

function attempt(act: Promise<unknown>): void {
  act.catch((error: unknown) =>
    showToast({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
  )
}

function entriesOf(scheme: SchemeChoice): readonly MenuEntry[] {
  return [
    { kind: 'label', text: text.person.theme },
    ...schemes.map(([choice, icon]): MenuEntry => ({
      kind: 'item',
      text: text.person[choice],
      icon,
      isChosen: scheme === choice,
      onPick: () => chooseScheme(choice),
    })),
    { kind: 'line' },
    { kind: 'item', text: text.person.keys, icon: 'keyboard', end: <Key>?</Key>, onPick: () => openOverlay('keys') },
    { kind: 'item', text: text.person.docs, icon: 'book', onPick: () => location.assign('/docs') },
    { kind: 'item', text: text.person.signOut, icon: 'signOut', onPick: () => attempt(signOut({ everywhere: false })) },
    { kind: 'item', text: text.person.signOutEverywhere, onPick: () => attempt(signOut({ everywhere: true })) },
  ]
}
