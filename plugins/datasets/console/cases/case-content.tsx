import { JsonView } from '#ui/parts/content/json-view.tsx'
import { MessageView } from '#ui/parts/content/message-view.tsx'
import { datasetsText } from '../shared/text.ts'
import styles from './cases.module.css'

const text = datasetsText.cases

/** The input of a case, and what an agent should respond. */
export function CaseContent({ input, expected }: { readonly input: unknown; readonly expected?: unknown }) {
  return (
    <>
      <div className={styles['content']}>
        <h3>{text.input}</h3>
        <CaseValue label={text.input} value={input} />
      </div>
      <div className={styles['content']}>
        <h3>{text.expected}</h3>
        {expected === undefined ? (
          <p className="faint">{text.noExpected}</p>
        ) : (
          <CaseValue label={text.expected} value={expected} />
        )}
      </div>
    </>
  )
}

/** A value of a case: words as they are, and JSON as JSON. */
function CaseValue({ label, value }: { readonly label: string; readonly value: unknown }) {
  if (typeof value !== 'string') return <JsonView label={label} value={value} />
  return (
    <div className={styles['value']} role="group" aria-label={label} tabIndex={0}>
      <MessageView role="user" words={value} isBare />
    </div>
  )
}
