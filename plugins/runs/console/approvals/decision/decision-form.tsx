import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Key } from '#ui/parts/control/button.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { useKeys } from '#ui/parts/keys/use-keys.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { FieldError } from '#ui/parts/state/field-error.tsx'
import { ReplyField } from './reply-field.tsx'
import { readReply, readArguments } from '../items/replies.ts'
import type { WrittenValue } from '../items/replies.ts'
import type { ApprovalItem, PausedRun } from '../items/approval-items.ts'
import { consentPath, waitsForConsent } from '../../send/consent-path.ts'
import { ConsentWay } from '../../send/consent-way.tsx'
import styles from './decision.module.css'
import { ArgumentsCard } from './arguments-card.tsx'
import type { GivenDecision } from '../items/decide.ts'
import { approvalsText as text } from '../items/text.ts'
import { failureWords, fieldProblem, useDecide } from './use-decide.ts'

interface DecisionFormProps {
  readonly item: ApprovalItem
  readonly onDecided: (run: PausedRun) => void
  readonly onOvertaken: (run: PausedRun) => void
  /** What stands between the arguments and the buttons. */
  readonly children: ReactNode
}

const problems = { empty: text.answerNeeded, notJson: text.notJson, notObject: text.notObject }

/** Arguments or answer, reason and buttons of a decision. */
export function DecisionForm({ item, onDecided, onOvertaken, children }: DecisionFormProps) {
  const { interrupt } = item
  const { isBusy, failure, isOwn, decide } = useDecide({ item, onDecided, onOvertaken })
  // Undefined as long as the arguments of the agent are kept.
  const [edited, setEdited] = useState<string>()
  const [answer, setAnswer] = useState('')
  const [reason, setReason] = useState('')
  const [onReject, setOnReject] = useState<'answer' | 'end'>('answer')
  const [problem, setProblem] = useState<{ readonly of: 'value' | 'reason'; readonly words: string }>()
  const isQuestion = interrupt.reason === 'input_required'
  const accept = (): void => {
    const read = isQuestion ? readReply(interrupt, answer) : edited === undefined ? undefined : readArguments(edited)
    if (read !== undefined && 'problem' in read) return setProblem({ of: 'value', words: problems[read.problem] })
    setProblem(undefined)
    decide({ ...acceptance(isQuestion, read), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })
  }
  const reject = (): void => {
    if (reason.trim() === '') return setProblem({ of: 'reason', words: text.reasonNeeded })
    setProblem(undefined)
    decide({ decision: 'reject', reason: reason.trim(), onReject })
  }
  const valueProblem =
    problem?.of === 'value' ? problem.words : fieldProblem(failure, isQuestion ? '/payload' : '/arguments')
  return (
    <>
      {isQuestion ? (
        <ReplyField interrupt={interrupt} value={answer} problem={valueProblem} onChange={setAnswer} />
      ) : (
        <ArgumentsCard interrupt={interrupt} edited={edited} problem={valueProblem} onEdit={setEdited} />
      )}
      {children}
      {failure === undefined || valueProblem !== undefined ? undefined : (
        <div role="alert">
          <Notice tone="bad">{failureWords(failure)}</Notice>
        </div>
      )}
      <Footer
        consent={waitsForConsent(interrupt) ? { to: consentPath(item.run.id, interrupt) } : undefined}
        acceptWords={isQuestion ? text.send : edited === undefined ? text.approve : text.approveEdited}
        problem={problem?.of === 'reason' ? problem.words : undefined}
        {...{ reason, setReason, onReject, setOnReject, isBusy, isOwn, accept, reject }}
      />
    </>
  )
}

function acceptance(isQuestion: boolean, read: WrittenValue | undefined): GivenDecision {
  if (read === undefined || 'problem' in read) return { decision: 'approve' }
  return isQuestion ? { payload: read.value } : { decision: 'approve', arguments: read.value }
}

interface FooterProps {
  /** What is granted on another page, in place of an approval here. */
  readonly consent: { readonly to: string | undefined } | undefined
  readonly acceptWords: string
  readonly problem: string | undefined
  readonly reason: string
  readonly setReason: (reason: string) => void
  readonly onReject: 'answer' | 'end'
  readonly setOnReject: (onReject: 'answer' | 'end') => void
  readonly isBusy: boolean
  readonly isOwn: () => boolean
  readonly accept: () => void
  readonly reject: () => void
}

/** The buttons. A key focuses one of them, and Enter presses it: no single key decides. */
function Footer({ consent, acceptWords, problem, isOwn, isBusy, accept, reject, ...state }: FooterProps) {
  const acceptButton = useRef<HTMLButtonElement>(null)
  const reasonField = useRef<HTMLInputElement>(null)
  const [isArmed, setArmed] = useState(false)
  const arm = (): void => {
    if (!isOwn()) return
    acceptButton.current?.focus()
    setArmed(acceptButton.current !== null)
  }
  useKeys([
    { keys: 'a', label: text.keys.approve, run: arm },
    { keys: 'r', label: text.keys.reject, run: () => reasonField.current?.focus() },
  ])
  return (
    <div className={styles['footer']}>
      <Segmented
        label={text.onReject}
        value={state.onReject}
        options={[
          { value: 'answer', label: text.answerAgent },
          { value: 'end', label: text.endRun },
        ]}
        onChange={state.setOnReject}
      />
      <input
        ref={reasonField}
        className={styles['field']}
        aria-label={text.reason}
        placeholder={text.reasonHint}
        maxLength={1024}
        value={state.reason}
        onChange={({ target }) => state.setReason(target.value)}
        onKeyDown={({ key, nativeEvent }) => {
          if (key === 'Enter' && !nativeEvent.isComposing) reject()
        }}
        {...(problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'reason-problem' })}
      />
      <Button kind="danger" icon="cross" isBusy={isBusy} onClick={reject}>
        {text.reject} <Key>{text.keyNames.reject}</Key>
      </Button>
      {consent === undefined ? (
        <Button
          ref={acceptButton}
          kind="primary"
          icon="check"
          isBusy={isBusy}
          onClick={accept}
          onBlur={() => setArmed(false)}
        >
          {acceptWords} <Key>{isArmed ? text.pressEnter : text.keyNames.approve}</Key>
        </Button>
      ) : (
        <ConsentWay {...consent} />
      )}
      {problem === undefined ? undefined : <FieldError id="reason-problem">{problem}</FieldError>}
    </div>
  )
}
