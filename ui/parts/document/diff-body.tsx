import { useEffect, useId, useMemo, useRef } from 'react'
import { documentText as text } from '../../text/documents.ts'
import { useNarrow } from '../page/use-narrow.ts'
import { changedFields } from '../yaml/changed-fields.ts'
import type { FieldChange } from '../yaml/changed-fields.ts'
import { countLines, startMerge } from './code-merge.ts'
import type { DiffProps } from './document-props.ts'
import styles from './document.module.css'
import { MAX_CHECKED_CHARS, readYaml } from '../yaml/yaml-source.ts'

/** See `Diff`. */
export function DiffBody({ title, before, after, labels, action }: DiffProps) {
  const id = useId()
  const host = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow()
  const { added, removed } = useMemo(() => countLines(before, after), [before, after])
  const changes = useMemo(() => changesOf(before, after), [before, after])
  const [left, right] = labels
  useEffect(() => {
    if (host.current === null) return
    return startMerge(host.current, { before, after, labels: [left, right] }, isNarrow)
  }, [before, after, left, right, isNarrow])
  return (
    <section className={styles['diff']} aria-labelledby={id}>
      <div className={styles['head']}>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        <span className="unseen">{before === after ? text.diff.equal : text.diff.counts(added, removed)}</span>
        {before === after ? (
          <span className="faint">{text.diff.equal}</span>
        ) : (
          <span className="num faint" aria-hidden="true">
            {text.diff.added(added)} {text.diff.removed(removed)}
          </span>
        )}
        <span className="grow" />
        {action}
      </div>
      <div className={styles['sides']} aria-hidden="true">
        <span dir="auto">{left}</span>
        <span dir="auto">{right}</span>
      </div>
      <div ref={host} className={styles['merge']} data-editor />
      <ChangeList changes={changes} />
    </section>
  )
}

function ChangeList({ changes }: { readonly changes: readonly FieldChange[] }) {
  if (changes.length === 0) return undefined
  return (
    <ul className="unseen" aria-label={text.diff.changes}>
      {changes.map(({ op, path, from, to }) => (
        <li key={`${op}${path}`}>{text.diff.change(path, text.diff.op[op], shown(from), shown(to))}</li>
      ))}
    </ul>
  )
}

function changesOf(before: string, after: string): readonly FieldChange[] {
  if (Math.max(before.length, after.length) > MAX_CHECKED_CHARS) return []
  return changedFields(readYaml(before).value, readYaml(after).value)
}

function shown(value: unknown): string {
  return value === undefined ? '' : (JSON.stringify(value) ?? '').slice(0, 200)
}
