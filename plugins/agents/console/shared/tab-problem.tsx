import { ProblemState } from '#ui/parts/state/problem-state.tsx'

interface TabProblemProps {
  readonly error: Error | null
  /** Sends the request of the tab again. */
  readonly refetch: () => Promise<unknown>
}

/** A tab without data: why its request failed, and nothing while it is under way. */
export function TabProblem({ error, refetch }: TabProblemProps) {
  if (error === null) return undefined
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  return <ProblemState error={error} onRetry={retry} />
}
