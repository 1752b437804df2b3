import { useMemo } from 'react'
import { Button } from '#ui/parts/control/button.tsx'
import { Diff } from '#ui/parts/document/diff.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { changedFields } from '#ui/parts/yaml/changed-fields.ts'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import { documentText } from '#ui/text/documents.ts'
import styles from './new-agent.module.css'
import { newAgentText as text } from './text.ts'

/** What a model proposes to make of a document. */
export interface Proposal {
  readonly before: string
  readonly after: string
  readonly explanation: string
  readonly warnings: readonly string[]
}

interface ProposalViewProps {
  readonly proposal: Proposal
  readonly onTake: () => void
  readonly onLeave: () => void
}

/** The changes of a proposal, by field and as documents. Nothing is changed before it is taken. */
export function ProposalView({ proposal, onTake, onLeave }: ProposalViewProps) {
  const { before, after, explanation, warnings } = proposal
  const changes = useMemo(() => changedFields(readYaml(before).value, readYaml(after).value), [before, after])
  return (
    <div className={styles['found']} role="status">
      <p className="user-text" dir="auto">
        {explanation}
      </p>
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      {changes.length === 0 ? (
        <p className="dim">{text.noProposal}</p>
      ) : (
        <>
          <ul className={styles['changes']} aria-label={documentText.diff.changes}>
            {changes.map(({ op, path }) => (
              <li key={`${op}${path}`}>
                <code dir="auto">{path}</code> {documentText.diff.op[op]}
              </li>
            ))}
          </ul>
          <Diff title={text.proposal} before={before} after={after} labels={[text.now, text.proposed]} />
        </>
      )}
      <div className={styles['tags']}>
        {changes.length === 0 ? undefined : (
          <Button kind="primary" onClick={onTake}>
            {text.take(changes.length)}
          </Button>
        )}
        <Button kind="quiet" onClick={onLeave}>
          {text.leave}
        </Button>
      </div>
    </div>
  )
}
