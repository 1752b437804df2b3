import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { FieldError } from '#ui/parts/state/field-error.tsx'
import type { WaitingInterrupt } from '../items/approval-items.ts'
import styles from './decision.module.css'
import { approvalsText as text } from '../items/text.ts'

interface ArgumentsCardProps {
  readonly interrupt: WaitingInterrupt
  /** The edited JSON; undefined as long as the arguments of the agent are kept. */
  readonly edited: string | undefined
  readonly problem: string | undefined
  readonly onEdit: (edited: string | undefined) => void
}

/** The arguments of a call. They can be edited if the agent gave their schema. */
export function ArgumentsCard({ interrupt, edited, problem, onEdit }: ArgumentsCardProps) {
  const { arguments: given, schema } = interrupt
  if (given === undefined && interrupt.tool === undefined) return undefined
  return (
    <>
      <h3>
        <span className="grow">{text.argumentsTitle}</span>
        {schema === undefined ? undefined : (
          <Button
            isSmall
            kind="quiet"
            icon={edited === undefined ? 'list' : 'close'}
            onClick={() => onEdit(edited === undefined ? JSON.stringify(given ?? {}, null, 2) : undefined)}
          >
            {edited === undefined ? text.edit : text.keep}
          </Button>
        )}
      </h3>
      {edited === undefined ? (
        given === undefined ? (
          <p className="faint">{text.noArguments}</p>
        ) : (
          <JsonView value={given} label={text.argumentsTitle} />
        )
      ) : (
        <textarea
          className={`mono ${styles['area']}`}
          aria-label={text.editing}
          rows={Math.min(16, edited.split('\n').length + 1)}
          spellCheck={false}
          value={edited}
          onChange={({ target }) => onEdit(target.value)}
          {...(problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'value-problem' })}
        />
      )}
      {problem === undefined ? undefined : <FieldError id="value-problem">{problem}</FieldError>}
    </>
  )
}
