import { useNavigate, useSearch } from '@tanstack/react-router'

/** Parameters of an address, as strings. */
export type SearchValues = Readonly<Record<string, string | undefined>>

/** Changes parameters, and leaves the page where it is scrolled. What opens something pushes an entry of the history, so that Back closes it; a filter replaces the last one. */
export type ChangeAddress = (changes: SearchValues, how?: 'push' | 'replace') => void

/** The parameters of the address, and a function that changes some of them. `undefined` and an empty string remove one. */
export function useAddress(): readonly [SearchValues, ChangeAddress] {
  const search: SearchValues = useSearch({ strict: false })
  const navigate = useNavigate()
  const change: ChangeAddress = (changes, how = 'replace') => {
    const given = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '')
    const shown = { replace: how === 'replace', resetScroll: false, state: <T>(was: T) => was }
    navigate({ to: '.', search: Object.fromEntries(given), ...shown }).catch(() => undefined)
  }
  return [search, change]
}
