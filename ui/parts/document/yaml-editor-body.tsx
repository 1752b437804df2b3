import { useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { documentText as text } from '../../text/documents.ts'
import { startEditor } from './code-editor.ts'
import type { CodeEditor } from './code-editor.ts'
import styles from './document.module.css'
import { problemsOf } from '../yaml/source-problems.ts'
import type { YamlEditorProps } from './document-props.ts'
import { MAX_CHECKED_CHARS, readYaml } from '../yaml/yaml-source.ts'
import type { PlacedProblem } from '../yaml/yaml-source.ts'

const LINE_PX = 19
const MAX_LISTED = 8

/** See `YamlEditor`. */
export function YamlEditorBody({ label, value, onChange, onSave, schema, refused, rows = 16 }: YamlEditorProps) {
  const checked = useDeferredValue(value)
  const isTooLarge = checked.length > MAX_CHECKED_CHARS
  const problems = useMemo(
    () => (isTooLarge ? [] : problemsOf(readYaml(checked), schema, refused)),
    [checked, isTooLarge, schema, refused],
  )
  const [host, editor] = useEditor({ label, value, onChange, onSave }, checked === value ? problems : undefined)
  return (
    <div className={styles['editor']}>
      <div ref={host} className={styles['code']} style={{ height: rows * LINE_PX + 18 }} data-editor />
      {onChange === undefined ? undefined : (
        <ProblemList
          problems={problems}
          note={isTooLarge ? text.editor.tooLarge : undefined}
          hint={onSave === undefined ? undefined : text.editor.save}
          onPick={(from) => editor.current?.select(from)}
        />
      )}
    </div>
  )
}

type EditorInput = Pick<YamlEditorProps, 'label' | 'value' | 'onChange' | 'onSave'>

function useEditor(input: EditorInput, problems: readonly PlacedProblem[] | undefined) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor>(undefined)
  const latest = useRef(input)
  useEffect(() => {
    latest.current = input
  })
  useEffect(() => {
    if (host.current === null) return
    const { label, value: given, onChange } = latest.current
    const started = startEditor(host.current, {
      text: given,
      label,
      isReadOnly: onChange === undefined,
      onChange: (next) => latest.current.onChange?.(next),
      onSave: () => latest.current.onSave?.(),
    })
    editor.current = started
    return () => started.close()
  }, [])
  const { value, onChange } = input
  useEffect(() => editor.current?.setText(value), [value])
  useEffect(() => editor.current?.setReadOnly(onChange === undefined), [onChange === undefined])
  useEffect(() => {
    if (problems !== undefined) editor.current?.setProblems(problems)
  }, [problems])
  return [host, editor] as const
}

interface ProblemListProps {
  readonly problems: readonly PlacedProblem[]
  readonly note: string | undefined
  readonly hint: string | undefined
  readonly onPick: (from: number) => void
}

function ProblemList({ problems, note, hint, onPick }: ProblemListProps) {
  return (
    <div className={styles['foot']}>
      <div className={styles['count']}>
        <span role="status">
          {note ?? (problems.length === 0 ? text.editor.none : text.editor.problems(problems.length))}
        </span>
        <span className="grow" />
        <span className={styles['hint']}>{hint}</span>
      </div>
      <ul>
        {problems.slice(0, MAX_LISTED).map(({ line, from, message }, index) => (
          <li key={`${from}-${index}`}>
            <button type="button" className={styles['problem']} onClick={() => onPick(from)}>
              <span className={styles['line']}>{text.editor.line(line)}</span>
              <span dir="auto">{message}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
