import { useMutation, useQueryClient } from '@tanstack/react-query'
import { showToast } from '../../parts/overlay/toast-store.ts'

interface Act<Made, Input> {
  readonly send: (input: Input) => Promise<Made>
  /** What a toast says of it; undefined: the page shows it in another way. */
  readonly done: (made: Made) => string | undefined
  /** Keys of the queries that are read again, by their beginning. */
  readonly changes: readonly (readonly string[])[]
  /** Closes the dialog, before anything is read again. */
  readonly onDone: (made: Made) => void
}

/** What a dialog does: sends a request, says that it is done, and reads what it has changed. */
export function useAct<Made, Input = void>({ send, done, changes, onDone }: Act<Made, Input>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: async (made) => {
      const message = done(made)
      if (message !== undefined) showToast({ kind: 'done', message })
      onDone(made)
      await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
  })
}
