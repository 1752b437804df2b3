import { ApiProblem } from '../../api/api-problem.ts'
import { DeniedState } from './denied-state.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { NotEnabled } from './not-enabled.tsx'

interface ProblemStateProps {
  readonly error: Error
  readonly onRetry?: (() => void) | undefined
}

/** What a failed request shows in place of the content: 403 is denied, 501 is not enabled, all else is an error. */
export function ProblemState({ error, onRetry }: ProblemStateProps) {
  if (error instanceof ApiProblem && error.facts.status === 403) return <DeniedState right={error.facts.right} />
  if (error instanceof ApiProblem && error.facts.status === 501)
    return <NotEnabled reason="unconfigured" setting={error.facts.setting} />
  return <ErrorPanel error={error} onRetry={onRetry} />
}
