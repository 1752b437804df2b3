import { Notice } from '#ui/parts/page/notice.tsx'
import { datasetsText } from '../shared/text.ts'
import type { RefusedRow } from './import-file.ts'
import styles from './import.module.css'

const text = datasetsText.import

/** What is wrong with the rows of a file, by their numbers. */
export function RefusedRows({ rows }: { readonly rows: readonly RefusedRow[] }) {
  return (
    <div role="alert">
      <Notice tone="bad" title={text.refused(rows.length)} />
      <div className={styles['rows']} tabIndex={0} role="group" aria-label={text.problem}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.row}</th>
              <th scope="col">{text.problem}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, problem }, index) => (
              <tr key={index}>
                <td className="num">{row}</td>
                <td className="user-text" dir="auto">
                  {problem}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
