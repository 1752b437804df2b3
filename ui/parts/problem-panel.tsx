import { ApiProblem } from '../api/api-problem.ts'

/** A failed request in place of the content. */
export function ProblemPanel({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const facts = error instanceof ApiProblem ? error.facts : undefined
  return (
    <section className="panel" role="alert">
      <h2>{facts?.title ?? 'This page has failed.'}</h2>
      <p dir="auto">{error.message}</p>
      {facts?.traceId === undefined ? undefined : <p className="dim">trace {facts.traceId}</p>}
      {onRetry === undefined ? undefined : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  )
}
