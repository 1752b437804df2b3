import type { McpConnector } from '#schemas/api/mcp-connectors.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Dock, DockBody, DockFacts } from '#ui/parts/page/split.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from '../servers/servers.module.css'
import { connectorsText as text } from './text.ts'

interface ConnectorDockProps {
  readonly connector: McpConnector | undefined
  /** Undefined while servers cannot be connected. */
  readonly onConnect: ((connector: McpConnector) => void) | undefined
  readonly onClose: () => void
}

/** A connector: what it is, where it is, how it authenticates, and who says so. */
export function ConnectorDock({ connector, onConnect, onClose }: ConnectorDockProps) {
  if (connector === undefined)
    return (
      <Dock title={text.title} onClose={onClose}>
        <DockBody>
          <p className="dim">{text.gone}</p>
        </DockBody>
      </Dock>
    )
  return (
    <Dock title={connector.title} lead={<OriginTag connector={connector} />} onClose={onClose}>
      <DockFacts facts={factsOf(connector)} />
      <DockBody>
        <div className={styles['made']}>
          <p className="user-text" dir="auto">
            {connector.description}
          </p>
          <span>
            <Button
              kind="primary"
              icon="plug"
              whyNot={onConnect === undefined ? text.closed : undefined}
              onClick={() => onConnect?.(connector)}
            >
              {text.connect}
            </Button>
          </span>
        </div>
      </DockBody>
    </Dock>
  )
}

/** Where an entry is from. */
export function OriginTag({ connector: { source } }: { readonly connector: McpConnector }) {
  return <Tag tone={source === 'published' ? 'info' : 'mute'}>{text[source]}</Tag>
}

function factsOf({ url, auth, header, tags, asOf, documentation, publishedBy, publishedAt }: McpConnector) {
  const words = (value: string) => (
    <span key={value} className="user-text" dir="auto">
      {value}
    </span>
  )
  return [
    [text.address, words(url)],
    [text.columns.credential, header === undefined ? text.auth[auth] : words(`${text.auth[auth]} ${header}`)],
    ...(tags.length === 0 ? [] : [[text.columns.tags, words(tags.join(', '))] as const]),
    ...(asOf === undefined ? [] : [[text.shipped, text.asOf(asOf)] as const]),
    ...(documentation === undefined ? [] : [[text.documentation, words(documentation)] as const]),
    ...(publishedBy === undefined ? [] : [[text.publishedBy, <Actor key="by" name={publishedBy} />] as const]),
    ...(publishedAt === undefined ? [] : [[text.publishedAt, <Time key="at" at={publishedAt} />] as const]),
  ] as const
}
