import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { FormEvent } from 'react'
import type { Static } from 'typebox'
import type { CreatedShare } from '#schemas/api/sharing.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { toExact } from '#ui/parts/format/times.ts'
import { Dialog } from '#ui/parts/overlay/dialog.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { FieldError } from '#ui/parts/state/field-error.tsx'
import { useCopy } from '#ui/parts/value/use-copy.ts'
import styles from './run-page.module.css'
import { sendRun } from '../send/send-run.ts'
import { readShareForm } from './share-form.ts'
import { runText } from './text.ts'

const { share: text } = runText

type MadeShare = Static<typeof CreatedShare>

/** Shares a run: what is shown, until when; then the link, once. */
export function ShareDialog({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const share = useMutation({
    mutationFn: async (body: unknown) => sendRun<MadeShare>([runId, 'shares'], body),
  })
  return (
    <Dialog title={text.title} onClose={onClose}>
      {share.data === undefined ? (
        <ShareForm
          isBusy={share.isPending}
          error={share.error}
          onSend={(body) => share.mutate(body)}
          onClose={onClose}
        />
      ) : (
        <ShareLink share={share.data} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface ShareFormProps {
  readonly isBusy: boolean
  readonly error: Error | null
  readonly onSend: (body: unknown) => void
  readonly onClose: () => void
}

function ShareForm({ isBusy, error, onSend, onClose }: ShareFormProps) {
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const body = readShareForm(new FormData(event.currentTarget))
    setWrong(body === undefined)
    if (body !== undefined && !isBusy) onSend(body)
  }
  return (
    <form className={styles['form']} onSubmit={submit}>
      <p className="dim">{text.about}</p>
      <fieldset>
        <legend>{text.content}</legend>
        {(['full', 'none'] as const).map((content) => (
          <label key={content} className={styles['choice']}>
            <input type="radio" name="content" value={content} defaultChecked={content === 'full'} />
            {text[content]}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{text.remove}</legend>
        <div className={styles['pairs']}>
          {Object.entries(text.kinds).map(([kind, label]) => (
            <label key={kind} className={styles['choice']}>
              <input type="checkbox" name="redact" value={kind} />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <div className={styles['pairs']}>
        <label>
          <span className={styles['label']}>{text.ends}</span>
          <select name="expiresIn" className={styles['field']} defaultValue="168h">
            {Object.entries(text.durations).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className={styles['label']}>{text.views}</span>
          <input
            name="maxViews"
            inputMode="numeric"
            placeholder={text.viewsHint}
            className={styles['field']}
            {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': 'share-views' } : {})}
          />
          {isWrong ? <FieldError id="share-views">{text.viewsWrong}</FieldError> : undefined}
        </label>
      </div>
      {error === null ? undefined : <Notice tone="bad">{error.message}</Notice>}
      <div className={styles['actions']}>
        <Button onClick={onClose}>{text.close}</Button>
        <Button kind="primary" isSubmit isBusy={isBusy}>
          {text.create}
        </Button>
      </div>
    </form>
  )
}

function ShareLink({ share, onClose }: { readonly share: MadeShare; readonly onClose: () => void }) {
  const [isCopied, copy] = useCopy()
  const { token, url, expiresAt, redaction } = share
  const link = new URL(`/shared/${encodeURIComponent(token)}`, new URL(url, location.origin)).href
  return (
    <div className={styles['form']}>
      <p className="dim">{text.created}</p>
      <label>
        <span className={styles['label']}>{text.link}</span>
        <input readOnly value={link} className={`mono ${styles['field']}`} onFocus={({ target }) => target.select()} />
      </label>
      <p className="dim">
        {text.until(toExact(expiresAt))} {redaction.reason === null ? undefined : text.reasons[redaction.reason]}
      </p>
      <div className={styles['actions']}>
        <Link to="/shares" className="link">
          {text.all}
        </Link>
        <span className="grow" />
        <Button onClick={onClose}>{text.close}</Button>
        <Button kind="primary" icon={isCopied ? 'check' : 'copy'} onClick={() => copy(link)}>
          {text.copy}
        </Button>
      </div>
    </div>
  )
}
