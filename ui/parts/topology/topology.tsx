import { useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useBoxSize } from './use-box-size.ts'
import { nearestNode, toDrawnEdges } from './graph-edges.ts'
import type { DrawnEdge } from './graph-edges.ts'
import { placeGraph, scaleOf } from './place-graph.ts'
import type { PlacedBox } from './place-graph.ts'
import { TopologyNode } from './topology-node.tsx'
import type { GraphEdge, GraphNode } from './topology-graph.ts'
import styles from './topology.module.css'

interface TopologyProps {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  /** The node whose neighbours are marked. */
  readonly picked: string | undefined
  readonly onPick: (id: string | undefined) => void
  /** What the graph shows. The page has a table of the same. */
  readonly label: string
}

/** Below this, names cannot be read: the graph scrolls instead. */
const LEAST_SCALE = 0.6
const STEP = 1.25

/** Objects in frames, with lines between them. Arrows move from node to node, Enter picks one, Esc ends it. */
export function Topology({ nodes, edges, picked, onPick, label }: TopologyProps) {
  const [size, attach] = useBoxSize()
  const [zoom, setZoom] = useState(1)
  const canvas = useRef<HTMLDivElement>(null)
  const placed = useMemo(() => placeGraph(nodes, edges, size), [nodes, edges, size])
  const drawn = useMemo(() => toDrawnEdges(edges, placed), [edges, placed])
  const scale = Math.max(LEAST_SCALE, scaleOf(placed, size)) * zoom
  const near = new Set(edges.filter((edge) => isAt(edge, picked)).flatMap(({ from, to }) => [from, to]))
  const first = picked !== undefined && placed.nodes.has(picked) ? picked : placed.nodes.keys().next().value
  const move = (event: KeyboardEvent): void => {
    const id = event.target instanceof HTMLElement ? event.target.dataset['node'] : undefined
    const target = id === undefined ? undefined : nearestNode(placed, id, event.key)
    if (target === undefined) return
    event.preventDefault()
    canvas.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(target)}"]`)?.focus()
  }
  return (
    <div className={styles['topology']}>
      <div ref={attach} className={styles['scroll']} role="group" aria-label={label}>
        <div className={styles['room']} style={{ width: placed.width * scale, height: placed.height * scale }}>
          <div
            ref={canvas}
            className={styles['canvas']}
            style={{ width: placed.width, height: placed.height, transform: `scale(${scale})` }}
            onKeyDown={move}
          >
            {placed.frames.map(({ frame, ...box }) => (
              <div key={frame.id} className={styles['frame']} style={boxStyle(box)}>
                <b dir="auto">{frame.title}</b> <span>{text.topology.objects(frame.nodes.length)}</span>
              </div>
            ))}
            <svg className={styles['edges']} width={placed.width} height={placed.height} aria-hidden>
              {drawn.map((one) => (
                <path key={`${one.edge.from} ${one.edge.to} ${one.edge.kind}`} {...edgeLooks(one, picked)} />
              ))}
            </svg>
            {[...placed.nodes].map(([id, { node, ...box }]) => (
              <TopologyNode
                key={id}
                node={node}
                style={boxStyle(box)}
                isPicked={id === picked}
                isNear={id !== picked && near.has(id)}
                hasTabStop={id === first}
                onPick={() => onPick(id === picked ? undefined : id)}
              />
            ))}
          </div>
        </div>
      </div>
      <div className={styles['tools']}>
        <Button
          isSmall
          icon="plus"
          aria-label={text.topology.larger}
          onClick={() => setZoom(Math.min(4, zoom * STEP))}
        />
        <Button
          isSmall
          icon="minus"
          aria-label={text.topology.smaller}
          onClick={() => setZoom(Math.max(0.2, zoom / STEP))}
        />
        <Button isSmall icon="fit" aria-label={text.topology.fit} onClick={() => setZoom(1)} />
      </div>
    </div>
  )
}

function isAt({ from, to, kind }: GraphEdge, picked: string | undefined): boolean {
  return picked !== undefined && kind !== 'member' && (from === picked || to === picked)
}

function boxStyle({ x, y, width, height }: PlacedBox) {
  return { left: x, top: y, width, height }
}

// Only lines are dimmed: dimmed text could not be read.
function edgeLooks({ edge, path, width }: DrawnEdge, picked: string | undefined) {
  const isOn = isAt(edge, picked)
  const names = [isOn ? 'on' : '', (edge.failed ?? 0) > 0 ? 'failed' : '', picked !== undefined && !isOn ? 'off' : '']
  return { d: path, strokeWidth: width, className: names.map((name) => styles[name] ?? '').join(' ') }
}
