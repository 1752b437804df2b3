import { Key } from '../../parts/control/button.tsx'
import { Icon } from '../../parts/icon/icon.tsx'
import { openOverlay } from '../../parts/page/shell-store.ts'
import { text } from '../../text/en.ts'
import { pageAt } from '../navigation/navigation.ts'
import type { NavigationSection } from '../navigation/navigation.ts'
import { NamespacePicker } from './namespace-picker.tsx'
import { PersonMenu } from './person-menu.tsx'
import { SectionList } from './section-list.tsx'
import styles from './shell.module.css'

interface SideProps {
  readonly sections: readonly NavigationSection[]
  readonly path: string
  /** On a phone; a wide window always shows it. */
  readonly isOpen: boolean
}

/** Namespace, search, pages and person. */
export function Side({ sections, path, isOpen }: SideProps) {
  const pages = sections.flatMap((section) => section.pages.map(({ page }) => page))
  return (
    <aside className={`${styles['side']} ${isOpen ? styles['open'] : ''}`} aria-label={text.shell.navigation}>
      <div className={styles['top']}>
        <NamespacePicker />
      </div>
      <button type="button" className={styles['find']} onClick={() => openOverlay('palette')}>
        <Icon name="search" size={14} stroke={2} />
        <span className="grow">{text.shell.searchHint}</span>
        <Key>{isMac() ? '⌘K' : 'Ctrl K'}</Key>
      </button>
      <nav className={styles['pages']} aria-label={text.shell.pages}>
        <SectionList sections={sections} current={pageAt(path, pages)?.id} />
      </nav>
      <PersonMenu />
    </aside>
  )
}

function isMac(): boolean {
  return navigator.userAgent.includes('Mac OS')
}
