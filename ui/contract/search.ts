import { useNavigate, useSearch } from '@tanstack/react-router'

/** Parameters of an address, as strings. */
export type SearchValues = Readonly<Record<string, string | undefined>>

/** The parameters of the address, and a function that changes some of them. `undefined` and an empty string remove one. */
export function useAddress(): readonly [SearchValues, (changes: SearchValues) => void] {
  const search: SearchValues = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = (changes: SearchValues): void => {
    const given = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '')
    navigate({ to: '.', search: Object.fromEntries(given), replace: true }).catch(() => undefined)
  }
  return [search, change]
}
