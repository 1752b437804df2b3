import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useAddress } from './search.ts'

/** The page of a list that the address shows. */
export interface Paging {
  readonly cursor: string | undefined
  /** Absent on the first page. */
  readonly onNewer: (() => void) | undefined
  older(cursor: string): void
}

declare module '@tanstack/history' {
  interface HistoryState {
    /** How many pages of the list lie before this one in the history of the tab. */
    listDepth?: number
  }
}

/** Pages of a list. The cursors before this one are the history of the tab, so that Back and Newer are the same. */
export function usePaging(): Paging {
  const [{ cursor }, change] = useAddress()
  const depth = useLocation({ select: ({ state }) => state.listDepth ?? 0 })
  const navigate = useNavigate()
  const router = useRouter()
  const newer = (): void => {
    // An address with a cursor that was opened by itself has no page before it but the first.
    if (depth > 0) router.history.back()
    else change({ cursor: undefined })
  }
  const older = (next: string): void => {
    const search = (was: object): object => ({ ...was, cursor: next })
    navigate({ to: '.', search: search as never, state: { listDepth: depth + 1 } }).catch(() => undefined)
  }
  return { cursor, onNewer: cursor === undefined ? undefined : newer, older }
}
