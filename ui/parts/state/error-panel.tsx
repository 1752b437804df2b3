import { useEffect, useState } from 'react'
import { ApiProblem } from '../../api/api-problem.ts'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { IdCopy } from '../value/id-copy.tsx'
import { PageState } from './page-state.tsx'

interface ErrorPanelProps {
  readonly error: Error
  readonly onRetry?: (() => void) | undefined
}

/** A failed request in place of the content: title, detail, code, trace id; Try again where it may help. */
export function ErrorPanel({ error, onRetry }: ErrorPanelProps) {
  const facts = error instanceof ApiProblem ? error.facts : undefined
  return (
    <PageState
      isAlert
      icon="alert"
      title={facts?.title ?? text.error.page}
      actions={onRetry === undefined ? undefined : <Retry onRetry={onRetry} afterSeconds={facts?.retryAfter ?? 0} />}
      facts={
        facts === undefined ? undefined : (
          <>
            {facts.code === undefined ? undefined : <span className="mono">{facts.code}</span>}
            {facts.traceId === undefined ? undefined : (
              <span>
                {text.error.trace} <IdCopy id={facts.traceId} />
              </span>
            )}
          </>
        )
      }
    >
      {error.message}
    </PageState>
  )
}

/** Try again; before that a countdown, if the server named one. */
function Retry({ onRetry, afterSeconds }: { readonly onRetry: () => void; readonly afterSeconds: number }) {
  const [left, setLeft] = useState(afterSeconds)
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <Button icon="refresh" onClick={onRetry} whyNot={left > 0 ? text.error.wait(left) : undefined}>
      {left > 0 ? text.error.retryIn(left) : text.error.retry}
    </Button>
  )
}
