import type { ReactNode } from 'react'
import type { RefusedField } from '../../api/api-problem.ts'
import { useAddress } from '../../contract/search.ts'
import { Segmented } from '../../parts/control/segmented.tsx'
import type { ValueSchema } from '../../parts/yaml/schema-shape.ts'
import { Diff } from '../../parts/document/diff.tsx'
import { YamlEditor } from '../../parts/document/yaml-editor.tsx'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { useNarrow } from '../../parts/page/use-narrow.ts'
import { kindText as text } from '../../text/kinds.ts'
import styles from './document.module.css'

interface DocumentPanesProps {
  /** What the document is, in words: `tenant`. */
  readonly noun: string
  readonly value: string
  /** Absent: the document can be read only. */
  readonly onChange?: ((value: string) => void) | undefined
  readonly onSave?: (() => void) | undefined
  readonly schema: ValueSchema
  readonly refused?: readonly RefusedField[] | undefined
  readonly hidden?: readonly string[]
  readonly fixed?: readonly string[]
  /** What it was, for the view of changes; absent for a new document. */
  readonly before?: string | undefined
  /** Stands below the YAML, or below the document where one view is shown. */
  readonly children?: ReactNode
}

type View = 'both' | 'form' | 'yaml' | 'changes'

/** A document as form and as YAML, in step: both change one text. `?view=` shows one of them, or what has changed. */
export function DocumentPanes(props: DocumentPanesProps) {
  const { noun, value, onChange, onSave, schema, refused, hidden = [], fixed = [], before, children } = props
  const [{ view: asked }, change] = useAddress()
  const isNarrow = useNarrow()
  const byDefault: View = isNarrow ? 'form' : 'both'
  const views: readonly View[] = [
    ...(isNarrow ? [] : ['both' as const]),
    'form',
    'yaml',
    ...(before === undefined ? [] : ['changes' as const]),
  ]
  const view = views.find((one) => one === asked) ?? byDefault
  const hasForm = view === 'both' || view === 'form'
  return (
    <div className={styles['document']}>
      <div>
        <Segmented
          label={text.view.label}
          value={view}
          options={views.map((one) => ({ value: one, label: text.view[one] }))}
          onChange={(next) => change({ view: next === byDefault ? undefined : next })}
        />
      </div>
      <div className={view === 'both' ? styles['panes'] : styles['pane']}>
        {hasForm ? (
          <SchemaForm label={text.form(noun)} {...{ value, onChange, schema, refused, hidden, fixed }} />
        ) : undefined}
        {view === 'both' || view === 'yaml' ? (
          <div className={styles['code']}>
            <YamlEditor label={text.yaml(noun)} rows={26} {...{ value, onChange, onSave, schema, refused }} />
            {view === 'both' ? children : undefined}
          </div>
        ) : undefined}
        {view === 'changes' && before !== undefined ? (
          <Diff title={text.changes(noun)} before={before} after={value} labels={[text.saved2, text.mine]} />
        ) : undefined}
      </div>
      {view === 'both' ? undefined : children}
    </div>
  )
}
