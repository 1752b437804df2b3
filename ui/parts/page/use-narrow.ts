import { useSyncExternalStore } from 'react'

/** Up to this width the page is that of a phone; the sheets have the same number. */
export const NARROW_PX = 760

/** Whether the window is as narrow as a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(`(max-width: ${NARROW_PX}px)`)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => matchMedia(`(max-width: ${NARROW_PX}px)`).matches,
  )
}
