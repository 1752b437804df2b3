import type { McpApproval } from '#schemas/api/mcp-approvals.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { DockFacts } from '#ui/parts/page/split.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { Differences } from '../shared/differences.tsx'
import type { ManifestVerdict } from '../shared/use-manifest-decision.ts'
import styles from './approvals.module.css'
import { DecisionBar } from './decision-bar.tsx'
import { manifestsText as text } from './text.ts'

interface ManifestSheetProps {
  readonly item: McpApproval
  /** What was decided on this manifest, here or before. */
  readonly verdict: ManifestVerdict | undefined
  readonly onDecided: (verdict: ManifestVerdict) => void
}

/** What an approval would change, of whom the server is, and the decision. */
export function ManifestSheet({ item, verdict, onDecided }: ManifestSheetProps) {
  const { namespace, server, acceptedDigest, changes } = item
  const path = [namespace, server].map(encodeURIComponent).join('/')
  return (
    <section className={styles['sheet']} aria-label={server}>
      <div className={styles['head']}>
        <h2 className="user-text grow" dir="auto">
          {server}
        </h2>
        <ButtonLink isSmall kind="quiet" icon="server" to={`/mcpservers/${path}`}>
          {text.open}
        </ButtonLink>
      </div>
      <DockFacts facts={factsOf(item)} />
      <EarlierDecision item={item} />
      <Notice tone="warn">
        {text.read} {acceptedDigest === null ? '' : text.inUse}
      </Notice>
      <Differences changes={changes.map(toDifference)} />
      <DecisionBar item={item} verdict={verdict} onDecided={onDecided} />
    </section>
  )
}

function factsOf({ url, author, digest, acceptedDigest }: McpApproval) {
  return [
    [
      text.address,
      <span key="url" className="user-text">
        {url}
      </span>,
    ],
    [text.author, author === null ? text.noAuthor : <Actor key="author" name={author} />],
    [text.digest, <IdCopy key="digest" id={digest.replace('sha256:', '')} />],
    [
      text.accepted,
      acceptedDigest === null ? text.none : <IdCopy key="accepted" id={acceptedDigest.replace('sha256:', '')} />,
    ],
  ] as const
}

function toDifference({ change, tool, before, after }: McpApproval['changes'][number]) {
  return { change, tool, before, after }
}

function EarlierDecision({ item: { decision } }: { readonly item: McpApproval }) {
  if (decision === null) return undefined
  return (
    <Notice tone={decision.state === 'approved' ? 'ok' : 'bad'}>
      {text.earlier[decision.state]} <Actor name={decision.by} /> <Time at={decision.at} />
      {decision.reason === null ? undefined : (
        <p className="user-text" dir="auto">
          {decision.reason}
        </p>
      )}
    </Notice>
  )
}
