import { JsonView } from '#ui/parts/content/json-view.tsx'
import { FieldError } from '#ui/parts/state/field-error.tsx'
import { replyForm } from '../items/replies.ts'
import type { WaitingInterrupt } from '../items/approval-items.ts'
import styles from './decision.module.css'
import { approvalsText as text } from '../items/text.ts'

interface ReplyFieldProps {
  readonly interrupt: WaitingInterrupt
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

/** The answer to a question, as its schema wants it. */
export function ReplyField({ interrupt, value, problem, onChange }: ReplyFieldProps) {
  const form = replyForm(interrupt)
  const isInvalid = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'value-problem' }
  return (
    <>
      <h3>{form.kind === 'json' ? text.answerJson : text.answer}</h3>
      {form.kind === 'choice' ? (
        <select
          className={styles['field']}
          aria-label={text.answer}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          {...isInvalid}
        >
          <option value="">{text.choose}</option>
          {form.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <textarea
          className={`${form.kind === 'json' ? 'mono' : ''} ${styles['area']}`}
          aria-label={form.kind === 'json' ? text.answerJson : text.answer}
          rows={form.kind === 'json' ? 6 : 3}
          dir="auto"
          value={value}
          onChange={({ target }) => onChange(target.value)}
          {...isInvalid}
        />
      )}
      {problem === undefined ? undefined : <FieldError id="value-problem">{problem}</FieldError>}
      {form.kind === 'json' ? (
        <details className={styles['schema']}>
          <summary>{text.schema}</summary>
          <JsonView value={interrupt.schema} label={text.schema} />
        </details>
      ) : undefined}
    </>
  )
}
