import type { KindParts } from '#ui/kinds/kind-entry.ts'
import { toCell, valueAt } from '#ui/kinds/kind-object.ts'
import { StatusBadge, Tag } from '#ui/parts/status/status-badge.tsx'
import { GatedShare } from '../list/gated-share.tsx'
import { toScore } from '../shared/shown-results.ts'
import { evalsText } from '../shared/text.ts'
import { SuiteOverview } from './suite-overview.tsx'

const { columns: text } = evalsText

/** What the pages of suites have beside those of every kind. */
export const suiteParts: KindParts = {
  columns: [
    {
      title: text.dataset,
      rank: 2,
      isWide: true,
      cell: ({ spec }) => (
        <span className="clip" dir="auto">
          {toCell(valueAt(spec, 'datasetRef.name'))}
        </span>
      ),
    },
    {
      title: text.last,
      cell: ({ status }) => {
        const phase = valueAt(status, 'evaluation.phase')
        return typeof phase === 'string' ? <StatusBadge state={phase} isPlain /> : toCell(phase)
      },
    },
    {
      title: text.agent,
      rank: 3,
      cell: ({ status }) => (
        <span className="clip" dir="auto">
          {toCell(valueAt(status, 'evaluation.agent'))}
        </span>
      ),
    },
    {
      title: text.score,
      rank: 2,
      align: 'end',
      cell: ({ spec, status }) => (
        <span className="num">
          {toScore(numberAt(status, 'evaluation.score'))}
          <span className="faint">{` / ${toScore(numberAt(spec, 'minScore'))}`}</span>
        </span>
      ),
    },
    {
      title: text.mode,
      rank: 4,
      cell: ({ spec }) => <Tag>{evalsText.modes[valueAt(spec, 'mode') === 'warn' ? 'warn' : 'block']}</Tag>,
    },
  ],
  ListBar: GatedShare,
  Overview: SuiteOverview,
}

function numberAt(object: unknown, field: string): number | undefined {
  const value = valueAt(object, field)
  return typeof value === 'number' ? value : undefined
}
