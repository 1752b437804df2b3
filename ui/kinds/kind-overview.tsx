import { JsonView } from '../parts/content/json-view.tsx'
import { Card } from '../parts/page/card.tsx'
import { Notice } from '../parts/page/notice.tsx'
import { DockFacts } from '../parts/page/split.tsx'
import { ConditionTimeline } from '../parts/status/condition-timeline.tsx'
import { Time } from '../parts/value/time.tsx'
import { kindText as text } from '../text/kinds.ts'
import type { KindParts } from './kind-entry.ts'
import { toCell } from './kind-object.ts'
import type { KindObject } from './kind-object.ts'

interface KindOverviewProps {
  readonly object: KindObject
  readonly Own: KindParts['Overview']
}

/** What an object is: its state, its names and its spec. */
export function KindOverview({ object, Own }: KindOverviewProps) {
  const { metadata, spec, status } = object
  const conditions = Array.isArray(status?.conditions) ? status.conditions : []
  const { conditions: _conditions, ...rest } = status ?? {}
  const labels = Object.entries(metadata['labels'] ?? {}).map(([name, value]) => `${name}=${String(value)}`)
  return (
    <>
      {metadata.deletionTimestamp === undefined ? undefined : <Notice tone="warn">{text.deleting}</Notice>}
      {conditions.length === 0 ? undefined : (
        <Card title={text.conditions}>
          <ConditionTimeline conditions={conditions} />
        </Card>
      )}
      {Own === undefined ? undefined : <Own object={object} />}
      <Card title={text.facts}>
        <DockFacts
          facts={[
            [text.name, metadata.name],
            ...(metadata.namespace === undefined ? [] : [[text.namespace, metadata.namespace] as const]),
            [text.created, <Time key="created" at={metadata.creationTimestamp ?? null} />],
            [text.version, metadata.resourceVersion ?? '—'],
            [text.labels, toCell(labels)],
          ]}
        />
      </Card>
      <Card title={text.spec}>
        <JsonView label={text.json(text.spec)} value={spec ?? {}} />
      </Card>
      {Object.keys(rest).length === 0 ? undefined : (
        <Card title={text.status}>
          <JsonView label={text.json(text.status)} value={rest} />
        </Card>
      )}
    </>
  )
}
