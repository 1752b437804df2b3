import { useEffect, useState } from 'react'

const SHOWN_MS = 1200

/** Whether something was copied just now, and the function that copies. */
export function useCopy(): readonly [boolean, (value: string) => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (value: string): void => {
    // Without https there is no clipboard, and a browser may refuse it.
    const done = navigator.clipboard?.writeText(value) ?? Promise.reject(new Error('no clipboard'))
    done.then(() => setCopied(true)).catch(() => setCopied(false))
  }
  return [isCopied, copy]
}
