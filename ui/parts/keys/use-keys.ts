import { useEffect, useRef } from 'react'
import { addKeys } from './key-registry.ts'
import type { KeyBinding } from './match-keys.ts'

/** Registers keys as long as the component is mounted. A later render may change what they do, not which they are. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings)
  useEffect(() => {
    latest.current = bindings
  })
  const names = bindings.map(({ keys, label }) => `${keys}\t${label}`).join('\n')
  useEffect(() => {
    if (names === '') return
    const registered = names.split('\n').map((line, index) => {
      const [keys = '', label = ''] = line.split('\t')
      return { keys, label, run: () => latest.current[index]?.run() }
    })
    return addKeys(registered)
  }, [names])
}
