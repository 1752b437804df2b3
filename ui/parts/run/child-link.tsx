import { Link } from '@tanstack/react-router'
import { text } from '../../text/en.ts'

/** The run of another agent that a delegation started. */
export function ChildLink({ runId }: { readonly runId: string }) {
  return (
    <Link className="link" to={`/runs/${encodeURIComponent(runId)}`}>
      {text.run.childRun}
    </Link>
  )
}
