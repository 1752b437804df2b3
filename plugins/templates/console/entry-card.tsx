import { useNavigate } from '@tanstack/react-router'
import { Button } from '#ui/parts/control/button.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import type { CatalogEntry } from './catalog.ts'
import styles from './templates.module.css'
import { templatesText as text } from './text.ts'

interface EntryCardProps {
  readonly entry: CatalogEntry
  readonly onRemove: () => void
}

/** An entry of the catalog, with the button that starts from it. */
export function EntryCard({ entry, onRemove }: EntryCardProps) {
  const { id, title, description, tags, kind, place } = entry
  const navigate = useNavigate()
  const use = (): void => {
    navigate({ to: '/agents/new', search: { from: id } as never }).catch(() => undefined)
  }
  return (
    <li className={styles['card']}>
      <div className="row">
        <Glyph name={title} size={26} />
        <h2 className="clip" dir="auto" title={title}>
          {title}
        </h2>
        {kind === 'agent' ? undefined : <Tag tone="info">{text.kinds[kind]}</Tag>}
      </div>
      <p className={`user-text ${styles['description']}`} dir="auto">
        {description}
      </p>
      <div className={styles['tags']}>
        {tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </div>
      <div className={styles['foot']}>
        <span className="grow clip faint" dir="auto">
          {authorOf(entry)}
        </span>
        {place === undefined ? undefined : (
          <Button isSmall kind="quiet" icon="bin" aria-label={text.removeNamed(title)} onClick={onRemove} />
        )}
        <Button
          isSmall
          aria-label={text.useNamed(title)}
          whyNot={kind === 'agent' ? undefined : text.notYet}
          onClick={use}
        >
          {text.use}
        </Button>
      </div>
    </li>
  )
}

function authorOf({ place, publishedFrom }: CatalogEntry): string {
  if (place === undefined) return text.platform
  return publishedFrom === undefined ? text.in(place.namespace) : text.from(publishedFrom)
}

const waiting = [0, 1, 2, 3, 4, 5]

/** Shown while cards are loading. */
export function WaitingCards() {
  return (
    <div className={`${styles['cards']} ${styles['waiting']}`} aria-busy="true">
      {waiting.map((card) => (
        <div key={card} className={styles['card']} />
      ))}
    </div>
  )
}
