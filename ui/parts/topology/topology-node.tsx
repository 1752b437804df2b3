import type { CSSProperties } from 'react'
import { text } from '../../text/en.ts'
import { Icon } from '../icon/icon.tsx'
import type { IconName } from '../icon/icons.ts'
import { StatusBadge } from '../status/status-badge.tsx'
import type { GraphNode } from './topology-graph.ts'
import styles from './topology.module.css'

interface TopologyNodeProps {
  readonly node: GraphNode
  readonly style: CSSProperties
  readonly isPicked: boolean
  readonly isNear: boolean
  /** It is the one node that the Tab key reaches. */
  readonly hasTabStop: boolean
  readonly onPick: () => void
}

const icons: Readonly<Record<string, IconName>> = {
  AgentDeployment: 'agent',
  AgentRegistry: 'stack',
  ModelRoute: 'route',
  ModelProvider: 'plug',
  McpToolBinding: 'tool',
  McpServer: 'server',
  KnowledgeBase: 'book',
}

/** The icon of a kind. */
export function graphIcon(kind: string): IconName {
  return icons[kind] ?? 'dashed'
}

/** A node of the graph. */
export function TopologyNode({ node, style, isPicked, isNear, hasTabStop, onPick }: TopologyNodeProps) {
  const { id, kind, name, phase, rank } = node
  const kindName = text.topology.kinds[kind] ?? kind
  const marks = [
    'node',
    kind === 'AgentDeployment' ? 'agent' : kind.startsWith('Model') ? 'model' : 'tool',
    rank >= 3 ? 'bad' : rank > 0 ? 'warn' : '',
    isPicked ? 'picked' : isNear ? 'near' : '',
  ]
  return (
    <button
      type="button"
      data-node={id}
      className={marks.map((mark) => styles[mark] ?? '').join(' ')}
      style={style}
      tabIndex={hasTabStop ? 0 : -1}
      aria-pressed={isPicked}
      onClick={onPick}
    >
      <span className={styles['icon']}>
        <Icon name={graphIcon(kind)} size={15} />
      </span>
      <span className={styles['words']}>
        <span className="clip" dir="auto">
          {name}
        </span>
        <span className={`clip ${styles['kind']}`}>{kindName}</span>
      </span>
      {phase === 'unknown' ? undefined : (
        <StatusBadge state={phase} isPlain>
          <span className="unseen">{phase}</span>
        </StatusBadge>
      )}
    </button>
  )
}
