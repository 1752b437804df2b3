import type { McpApproval } from '#schemas/api/mcp-approvals.ts'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { ManifestVerdict } from '../shared/use-manifest-decision.ts'
import styles from './approvals.module.css'
import { manifestsText as text } from './text.ts'
import { placeOfManifest } from './waiting-manifests.ts'

interface ManifestQueueProps {
  readonly items: readonly McpApproval[]
  readonly shown: McpApproval | undefined
  readonly verdictOf: (item: McpApproval) => ManifestVerdict | undefined
  readonly onChoose: (place: string) => void
}

/** The servers whose tools wait. */
export function ManifestQueue({ items, shown, verdictOf, onChoose }: ManifestQueueProps) {
  return (
    <ul className={styles['queue']} aria-label={text.queue}>
      {items.map((item) => (
        <li key={item.uid}>
          <button type="button" aria-current={item === shown} onClick={() => onChoose(placeOfManifest(item))}>
            <b className="clip" dir="auto">
              {item.server}
            </b>
            <span className={styles['about']}>
              <span className="faint clip" dir="auto">
                {item.namespace}
              </span>
              <ItemTag item={item} verdict={verdictOf(item)} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

interface ItemTagProps {
  readonly item: McpApproval
  readonly verdict: ManifestVerdict | undefined
}

function ItemTag({ item: { acceptedDigest, changes }, verdict }: ItemTagProps) {
  if (verdict !== undefined) return <Tag tone={verdict === 'approved' ? 'ok' : 'bad'}>{text[verdict]}</Tag>
  if (acceptedDigest === null) return <Tag tone="info">{text.first}</Tag>
  return <Tag tone="warn">{text.changes(changes.length)}</Tag>
}
