import { useState } from 'react'
import type { McpApproval } from '#schemas/api/mcp-approvals.ts'
import { useSession } from '#ui/api/session.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { useManifestDecision } from '../shared/use-manifest-decision.ts'
import type { ManifestVerdict } from '../shared/use-manifest-decision.ts'
import styles from './approvals.module.css'
import { manifestsText as text } from './text.ts'

interface DecisionBarProps {
  readonly item: McpApproval
  readonly verdict: ManifestVerdict | undefined
  readonly onDecided: (verdict: ManifestVerdict) => void
}

/** Approves the shown manifest, or rejects it with a reason. */
export function DecisionBar({ item, verdict, onDecided }: DecisionBarProps) {
  const { namespace, server: name, digest, author } = item
  const [words, setWords] = useState('')
  const [isMissing, setMissing] = useState(false)
  const session = useSession()?.session
  const { decide, busy, error } = useManifestDecision((_, decided) => {
    setWords('')
    onDecided(decided)
  })
  const send = (wanted: ManifestVerdict): void => {
    const needsWords = wanted === 'rejected' && words.trim() === ''
    setMissing(needsWords)
    if (!needsWords) decide({ namespace, name, digest }, wanted, words)
  }
  const isOwn = author !== null && session?.username === author
  return (
    <div className={styles['decision']}>
      {error === undefined ? undefined : (
        <div role="alert">
          <Notice tone="bad">{error}</Notice>
        </div>
      )}
      {verdict === undefined || verdict === item.decision?.state ? undefined : (
        <div role="status">
          <Notice tone={verdict === 'approved' ? 'ok' : 'mute'}>{text.done[verdict]}</Notice>
        </div>
      )}
      {isOwn ? <p className="dim">{text.own}</p> : undefined}
      {verdict === 'approved' ? undefined : (
        <>
          <TextField
            label={text.words}
            hint={text.wordsHint}
            value={words}
            maxLength={1_024}
            refused={isMissing ? text.reasonNeeded : undefined}
            onChange={setWords}
          />
          <div className={styles['buttons']}>
            <Button icon="cross" isBusy={busy === 'rejected'} onClick={() => send('rejected')}>
              {text.reject}
            </Button>
            <Button
              kind="primary"
              icon="check"
              isBusy={busy === 'approved'}
              whyNot={isOwn ? text.own : undefined}
              onClick={() => send('approved')}
            >
              {text.approve}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
