import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Differences } from '../shared/differences.tsx'
import { toServerState } from '../shared/server-state.ts'
import { useManifestDecision } from '../shared/use-manifest-decision.ts'
import styles from './servers.module.css'
import { serversText } from './text.ts'

const text = serversText.drift

/** What a server offers that is not accepted: tool by tool, old beside new. Absent if nothing waits. */
export function DriftCard({ object }: { readonly object: KindObject }) {
  const { changes, proposed, digest } = toServerState(object)
  const { decide, busy, error } = useManifestDecision(() => undefined)
  const { namespace = '', name } = object.metadata
  if (proposed === undefined) return undefined
  return (
    <Card title={digest === undefined ? text.first : text.title}>
      <div className={styles['drift']}>
        <Notice tone="warn">{text.blocked}</Notice>
        <Differences changes={changes} />
        {error === undefined ? undefined : (
          <div role="alert">
            <Notice tone="bad">{error}</Notice>
          </div>
        )}
        <div>
          <Button
            kind="primary"
            icon="check"
            isBusy={busy !== undefined}
            onClick={() => decide({ namespace, name, digest: proposed }, 'approved')}
          >
            {text.accept}
          </Button>
        </div>
      </div>
    </Card>
  )
}
