import { useEffect, useState } from 'react'

const PAUSE_MS = 120

/** A value, once it has not changed for a moment: a request for each letter would be too many. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
