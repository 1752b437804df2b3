import { useCallback, useState } from 'react'

/** Size of an element. */
export interface BoxSize {
  readonly width: number
  readonly height: number
}

/** Steps of the measured size, so that a drag of the window does not place the graph for each pixel. */
const STEP_PX = 40

/** The size of an element, and the ref that measures it. */
export function useBoxSize(): readonly [BoxSize, (box: HTMLElement | null) => (() => void) | undefined] {
  const [size, setSize] = useState<BoxSize>({ width: 1120, height: 760 })
  const attach = useCallback((box: HTMLElement | null) => {
    if (box === null) return undefined
    const round = (pixels: number): number => Math.max(STEP_PX, Math.floor(pixels / STEP_PX) * STEP_PX)
    const observer = new ResizeObserver(() => {
      const now = { width: round(box.clientWidth), height: round(box.clientHeight) }
      setSize((was) => (was.width === now.width && was.height === now.height ? was : now))
    })
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  return [size, attach]
}
