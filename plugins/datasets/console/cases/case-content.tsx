import { TitledValue } from '#ui/parts/content/titled-value.tsx'
import { datasetsText } from '../shared/text.ts'
import styles from './cases.module.css'

const text = datasetsText.cases

/** The input of a case, and what an agent should respond. */
export function CaseContent({ input, expected }: { readonly input: unknown; readonly expected?: unknown }) {
  return (
    <div className={styles['content']}>
      <TitledValue title={text.input} value={input} />
      <TitledValue title={text.expected} value={expected} absent={text.noExpected} />
    </div>
  )
}
