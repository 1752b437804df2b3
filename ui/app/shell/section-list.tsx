import { Link } from '@tanstack/react-router'
import { useAddress } from '../../contract/search.ts'
import { toCount } from '../../parts/format/counts.ts'
import { Icon } from '../../parts/icon/icon.tsx'
import type { IconName } from '../../parts/icon/icons.ts'
import { text } from '../../text/en.ts'
import { withoutHeading } from '../navigation/navigation.ts'
import type { NavigationSection } from '../navigation/navigation.ts'
import { pageIcon } from '../navigation/page-icons.ts'
import { useFolding } from './folding.ts'
import { usePageCounts } from './page-counts.ts'
import styles from './shell.module.css'

interface SectionListProps {
  readonly sections: readonly NavigationSection[]
  /** Id of the page that is shown. */
  readonly current: string | undefined
}

/** The pages by section. The section of the current page is always open. */
export function SectionList({ sections, current }: SectionListProps) {
  const [folded, toggle] = useFolding()
  const counts = usePageCounts(sections)
  return (
    <>
      {sections.map(({ title, pages }) => {
        const hasHeading = !withoutHeading.includes(title)
        const isOpen = !hasHeading || !folded.has(title) || pages.some(({ page }) => page.id === current)
        return (
          <div
            key={title}
            className={styles['section']}
            role="group"
            aria-label={title === '' ? text.shell.home : title}
          >
            {hasHeading ? (
              <button type="button" className={styles['head']} aria-expanded={isOpen} onClick={() => toggle(title)}>
                {title}
                <Icon name="forward" size={12} stroke={2.2} />
              </button>
            ) : undefined}
            {isOpen
              ? pages.map(({ page, reason }) => (
                  <PageLink
                    key={page.id}
                    to={page.path}
                    icon={pageIcon(page.id)}
                    title={page.title}
                    isCurrent={page.id === current}
                    isOff={reason !== undefined}
                    count={counts[page.id] ?? 0}
                  />
                ))
              : undefined}
          </div>
        )
      })}
    </>
  )
}

interface PageLinkProps {
  readonly to: string
  readonly icon: IconName
  readonly title: string
  readonly isCurrent: boolean
  readonly isOff: boolean
  /** How many wait there for a person. */
  readonly count: number
}

// The namespace stays; other parameters are those of the page that is left.
function PageLink({ to, icon, title, isCurrent, isOff, count }: PageLinkProps) {
  const [{ namespace }] = useAddress()
  return (
    <Link
      to={to}
      search={(namespace === undefined ? {} : { namespace }) as never}
      className={`${styles['item']} ${isOff ? styles['off'] : ''}`}
      {...(isCurrent ? { 'aria-current': 'page' } : {})}
    >
      <Icon name={icon} size={15.5} stroke={1.7} />
      <span className="grow clip">{title}</span>
      {count === 0 ? undefined : (
        <span className={`num ${styles['count']}`}>
          {toCount(count)}
          <span className="unseen"> {text.shell.waiting(count)}</span>
        </span>
      )}
    </Link>
  )
}
