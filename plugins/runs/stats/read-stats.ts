import type { AccessScope } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RunGroupBy } from '#schemas/api/run-stats.ts'
import type { RunFilter } from '../contract/caller-runs.ts'
import type { RunsTables } from '../contract/tables.ts'
import { refuseParameter } from '../read/run-filter.ts'
import { withRareIds } from '../store/lists/rare-runs.ts'
import { readRunIds } from '../store/lists/run-ids.ts'
import { readSums } from '../store/sums/sums.ts'
import type { SumsFilter, SumsKey, SumsLine, SumsSource } from '../store/sums/sums.ts'
import { topSubjects } from '../store/sums/top-subjects.ts'
import { toMinutes } from './stats-window.ts'
import type { StatsWindow } from './stats-window.ts'
import { toPieces } from './pieces.ts'

type Db = Reader<RunsTables>

/** Statistics to read. */
export interface StatsQuery {
  readonly access: AccessScope<'list', 'runs'>
  readonly filter: RunFilter
  readonly window: StatsWindow
  readonly groupBy: RunGroupBy | undefined
  readonly top: number
}

/** Lines of sums, and the window that they are of. */
export interface ReadStats {
  readonly lines: readonly SumsLine[]
  readonly window: StatsWindow
  /** Whether the window was not moved to full minutes. */
  readonly isExact: boolean
}

const MAX_RUNS = 10_000
const SHORT_MS = 600_000
const MINUTE_MS = 60_000
const MAX_NAMESPACES = 100_000

/**
 * Reads statistics from sums; or from the runs themselves, of which there may be 10,000, for a filter that sums do not have, and for a window of at
 * most ten minutes with as many runs.
 */
export async function readStats(db: Db, query: StatsQuery): Promise<ReadStats> {
  const { access, window, top, groupBy } = query
  const key = groupBy === undefined ? undefined : keys[groupBy]
  const most = groupBy === 'tenant' ? MAX_NAMESPACES : top
  const source = await sourceOf(db, query)
  const { binSeconds } = window
  if ('ids' in source)
    return { lines: await readSums(db, { source, filter: {}, key, top: most, binSeconds }), window, isExact: true }
  const whole = toMinutes(window)
  const filter = toSumsFilter(query.filter)
  const sums = { source, filter, key, top: most, binSeconds }
  if (key !== 'subject') return { lines: await readSums(db, sums), window: whole, isExact: false }
  const subjects = await topSubjects(db, { access, pieces: source.pieces, filter, top })
  const all = (await readSums(db, { ...sums, key: undefined })).filter(({ part }) => part === 'all' || part === 'bin')
  const ofTop = await readSums(db, {
    ...sums,
    source: { ...source, subjects: true },
    filter: { ...filter, subject: subjects },
  })
  const groups = ofTop.filter(({ part }) => part !== 'all' && part !== 'bin')
  return { lines: [...all, ...groups], window: whole, isExact: false }
}

const keys: Readonly<Record<RunGroupBy, SumsKey>> = {
  agent: 'agent_uid',
  state: 'state',
  failReason: 'fail_reason',
  model: 'model',
  subject: 'subject',
  trigger: 'trigger_kind',
  tenant: 'namespace',
}

async function sourceOf(db: Db, { access, filter, window }: StatsQuery): Promise<SumsSource> {
  const extra = filterWithoutSums(filter)
  const length = window.to - window.from
  const pieces = () => {
    const { from, to, binSeconds } = toMinutes(window)
    return toPieces(from / 1000, to / 1000, binSeconds)
  }
  const sums = (): SumsSource => ({ access, pieces: pieces(), subjects: filter.subject !== undefined })
  if (extra === undefined && length > SHORT_MS) return sums()
  const bounds = { since: new Date(window.from), until: new Date(window.to) }
  const ids = await readRunIds(db, access, await withRareIds(db, { ...filter, ...bounds }), MAX_RUNS + 1)
  if (ids.length <= MAX_RUNS) return { ids }
  if (extra !== undefined)
    throw refuseParameter(
      extra,
      `selects more than ${MAX_RUNS} runs of the window; choose a shorter one, or further filters`,
    )
  if (length < MINUTE_MS)
    throw refuseParameter(
      '?to',
      `must be at least a minute after from: more than ${MAX_RUNS} runs were created between them`,
    )
  return sums()
}

// The parameter of a filter that sums do not have.
function filterWithoutSums(filter: RunFilter): string | undefined {
  const { conversationId, label, parent, minDurationMs, hasFeedback, prefix } = filter
  if (conversationId !== undefined) return '?conversationId'
  if (label !== undefined) return '?label'
  if (parent !== undefined) return '?parent'
  if (minDurationMs !== undefined) return '?minDuration'
  if (hasFeedback !== undefined) return '?hasFeedback'
  return prefix === undefined ? undefined : '?q'
}

function toSumsFilter({ agent, state, states, failReasons, subject, trigger, model }: RunFilter): SumsFilter {
  return {
    ...(agent === undefined ? {} : { agent: [agent] }),
    ...(state === undefined ? {} : { state: [state] }),
    ...(states === undefined ? {} : { state: states }),
    ...(failReasons === undefined ? {} : { fail_reason: failReasons }),
    ...(subject === undefined ? {} : { subject: [subject] }),
    ...(trigger === undefined ? {} : { trigger_kind: [trigger] }),
    ...(model === undefined ? {} : { model: [model] }),
  }
}
