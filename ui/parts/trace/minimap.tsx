import { useEffect, useRef } from 'react'
import type { PointerEvent } from 'react'
import type { TraceSpan } from './flat-tree.ts'
import { toMinimapRects } from './minimap-rects.ts'
import styles from './trace.module.css'
import { zoomOfDrag } from './zoom-spans.ts'
import type { TimeZoom } from './zoom-spans.ts'

interface MinimapProps {
  readonly spans: readonly TraceSpan[]
  readonly total: number
  readonly zoom: TimeZoom
  readonly onZoom: (zoom: TimeZoom | undefined) => void
}

/** The whole trace at a glance; a drag zooms, a double click shows the whole. Drawn once, so that scrolling costs nothing. */
export function Minimap({ spans, total, zoom, onZoom }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const began = useRef<number>(undefined)
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const draw = (): void => drawSpans(element, spans, total)
    const size = new ResizeObserver(draw)
    size.observe(element)
    // A canvas has no colours of its own: it is drawn again in another scheme.
    const scheme = new MutationObserver(draw)
    scheme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-scheme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', draw)
    return () => {
      size.disconnect()
      scheme.disconnect()
      system.removeEventListener('change', draw)
    }
  }, [spans, total])
  const drag = (event: PointerEvent): void => {
    if (began.current === undefined) return
    const next = zoomOfDrag(began.current, partOf(event), total)
    if (next !== undefined) onZoom(next)
  }
  return (
    <div
      className={styles['minimap']}
      aria-hidden
      onPointerDown={(event) => {
        began.current = partOf(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        began.current = undefined
      }}
      onDoubleClick={() => onZoom(undefined)}
    >
      <canvas ref={canvas} />
      <span className={styles['shade']} style={{ left: 0, width: `${(zoom.from / total) * 100}%` }} />
      <span className={styles['shade']} style={{ left: `${(zoom.to / total) * 100}%`, right: 0 }} />
    </div>
  )
}

function partOf({ currentTarget, clientX }: PointerEvent): number {
  const { left, width } = currentTarget.getBoundingClientRect()
  return width === 0 ? 0 : (clientX - left) / width
}

const tokens: Readonly<Record<string, string>> = { interrupt: 'guardrail', span: 'step' }

function drawSpans(canvas: HTMLCanvasElement, spans: readonly TraceSpan[], total: number): void {
  const context = canvas.getContext('2d')
  const { clientWidth: width, clientHeight: height } = canvas
  if (context === null || width === 0) return
  Object.assign(canvas, { width: width * devicePixelRatio, height: height * devicePixelRatio })
  context.scale(devicePixelRatio, devicePixelRatio)
  const colours = colourReader(canvas)
  for (const { kind, hasError, x, y, ...rect } of toMinimapRects(spans, total, { width, height })) {
    context.fillStyle = colours(hasError ? '--bad-fill' : `--span-${tokens[kind] ?? kind}`)
    context.fillRect(x, y, rect.width, rect.height)
  }
}

// A custom property is read as it was written; `color` is computed for the scheme.
function colourReader(canvas: HTMLElement): (token: string) => string {
  const known = new Map<string, string>()
  return (token) => {
    const found = known.get(token)
    if (found !== undefined) return found
    canvas.style.color = `var(${token})`
    const { color } = getComputedStyle(canvas)
    known.set(token, color)
    return color
  }
}
