import { useState } from 'react'
import { useAddress } from '#ui/contract/search.ts'
import { RemovalDialog } from '#ui/kinds/dialogs/removal-dialog.tsx'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Facet } from '#ui/parts/filter/facet.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { filterCatalog, tagsOf } from './catalog.ts'
import type { CatalogEntry } from './catalog.ts'
import { EntryCard, WaitingCards } from './entry-card.tsx'
import styles from './templates.module.css'
import { templatesText as text } from './text.ts'
import { useCatalog } from './use-catalog.ts'
import type { Catalog } from './use-catalog.ts'

const sources = (['all', 'recipe', 'template'] as const).map((value) => ({ value, label: text.sources[value] }))

/** What an agent can be started from: recipes of the platform, and published templates. */
export function TemplatesPage() {
  const [{ namespace, q, tag, source }, change] = useAddress()
  const [removed, setRemoved] = useState<CatalogEntry>()
  const catalog = useCatalog(namespace)
  const entries = catalog.entries ?? []
  const shown = filterCatalog(entries, { q, tag, source })
  const clear = (): void => change({ q: undefined, tag: undefined, source: undefined })
  return (
    <>
      <PageBar title={text.title} />
      <FilterBar setCount={[q, tag, source].filter((one) => one !== undefined).length} onClear={clear}>
        <SearchField label={text.search} value={q ?? ''} onChange={(value) => change({ q: value })} />
        <Segmented
          label={text.source}
          value={sources.find(({ value }) => value === source)?.value ?? 'all'}
          options={sources}
          onChange={(value) => change({ source: value === 'all' ? undefined : value })}
        />
        <Facet
          label={text.tag}
          options={tagsOf(entries).map((value) => ({ value, label: value }))}
          value={tag}
          onChange={(value) => change({ tag: value })}
        />
        <span className="grow" />
        {catalog.entries === undefined ? undefined : <span className="faint num clip">{text.count(shown.length)}</span>}
      </FilterBar>
      <CatalogNotes catalog={catalog} />
      {catalog.entries === undefined ? <WaitingCards /> : undefined}
      {shown.length === 0 ? <NothingShown catalog={catalog} onClear={clear} /> : undefined}
      <ul className={styles['cards']} aria-label={text.title}>
        {shown.map((entry) => (
          <EntryCard key={entry.id} entry={entry} onRemove={() => setRemoved(entry)} />
        ))}
      </ul>
      {removed === undefined ? undefined : <RemoveTemplate entry={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

interface RemoveTemplateProps {
  readonly entry: CatalogEntry
  readonly onClose: () => void
}

function RemoveTemplate({ entry: { kind, place, title }, onClose }: RemoveTemplateProps) {
  const path = ['templates', kind, place?.namespace ?? '', place?.name ?? '']
  const words = text.removal
  return <RemovalDialog name={title} lists={['templates']} onGone={onClose} {...{ words, path, onClose }} />
}

// What failed is said above what is there.
function CatalogNotes({
  catalog: { entries = [], templatesError, recipesError, hasMore },
}: {
  readonly catalog: Catalog
}) {
  if (entries.length === 0) return undefined
  return (
    <div className={styles['notes']}>
      {templatesError === null ? undefined : (
        <Notice tone="warn" title={text.failed}>
          {templatesError.message}
        </Notice>
      )}
      {recipesError === null ? undefined : (
        <Notice tone="warn" title={text.recipesFailed}>
          {recipesError.message}
        </Notice>
      )}
      {hasMore ? <Notice tone="info">{text.more}</Notice> : undefined}
    </div>
  )
}

function NothingShown({ catalog, onClear }: { readonly catalog: Catalog; readonly onClear: () => void }) {
  const { entries, templatesError, recipesError, reload } = catalog
  if (entries === undefined) return undefined
  if (entries.length > 0) return <NoMatch onClear={onClear} />
  const error = templatesError ?? recipesError
  if (error !== null) return <ProblemState error={error} onRetry={reload} />
  return (
    <EmptyState icon="stack" title={text.empty}>
      {text.emptyDetail}
    </EmptyState>
  )
}
