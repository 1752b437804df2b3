import { msToDuration } from '#schemas/values/duration.ts'
import type { RunGroupBy } from '#schemas/api/run-stats.ts'
import type { SumsLine } from '../store/sums/sums.ts'
import { addLines, amountsOf, subtractSums } from './add-lines.ts'
import { percentilesOf } from './histogram.ts'
import type { ReadStats } from './read-stats.ts'
import type { RunSums } from './run-sums.ts'
import { binStarts } from './stats-window.ts'
import type { StatsWindow } from './stats-window.ts'

/** A group of lines by its value, with what shows it. */
interface Group {
  readonly key: string
  readonly lines: readonly SumsLine[]
  readonly sums: RunSums
}

/** What the response repeats of the query, and the tenants of namespaces if it groups by them. */
export interface ShownStats {
  readonly groupBy: RunGroupBy | undefined
  readonly top: number
  readonly tenants: ReadonlyMap<string, string>
}

/** Statistics as the API shows them. Pure. */
export function toStats({ lines, window, isExact }: ReadStats, { groupBy, top, tenants }: ShownStats) {
  const all = addLines(lines.filter(({ part }) => part === 'all'))
  const toKey = ({ key }: SumsLine) => (groupBy === 'tenant' ? (tenants.get(key ?? '') ?? '') : (key ?? ''))
  const groups = groupBy === undefined ? [] : topGroups(lines, toKey, top)
  const rest = subtractSums(
    all,
    groups.map(({ sums }) => sums),
  )
  const { binSeconds } = window
  return {
    from: new Date(window.from).toISOString(),
    to: new Date(window.to).toISOString(),
    resolutionMs: isExact ? 1 : 60_000,
    ...toShown(all),
    interval: binSeconds === undefined ? null : msToDuration(binSeconds * 1000),
    bins: binsOf(
      window,
      lines.filter(({ part }) => part === 'bin'),
    ).map(({ from, lines: of }) => ({
      from,
      ...toShown(addLines(of)),
    })),
    groupBy: groupBy ?? null,
    groups: groups.map((group) => toGroup(group, groupBy, window)),
    other: groupBy !== undefined && rest.count > 0 ? toShown(rest) : null,
  }
}

function topGroups(lines: readonly SumsLine[], toKey: (line: SumsLine) => string, top: number): readonly Group[] {
  const byKey = Map.groupBy(
    lines.filter(({ part }) => part === 'group' || part === 'bin of group'),
    toKey,
  )
  return [...byKey]
    .map(([key, of]) => ({ key, lines: of, sums: addLines(of.filter(({ part }) => part === 'group')) }))
    .toSorted((a, b) => b.sums.count - a.sums.count || (a.key < b.key ? -1 : 1))
    .slice(0, top)
}

function toGroup({ key, lines, sums }: Group, groupBy: RunGroupBy | undefined, window: StatsWindow) {
  const [first] = lines
  const agent =
    groupBy === 'agent' && key !== '' && first ? { namespace: first.namespace, name: first.agent } : undefined
  return {
    key: key === '' ? null : key,
    ...(agent === undefined ? {} : { agent }),
    ...toShown(sums),
    bins: binsOf(
      window,
      lines.filter(({ part }) => part === 'bin of group'),
    ).map(({ from, lines: of }) => ({
      from,
      ...toCounts(addLines(of)),
    })),
  }
}

function binsOf(window: StatsWindow, lines: readonly SumsLine[]) {
  const byBin = Map.groupBy(lines, ({ bin }) => bin ?? 0)
  return binStarts(window).map((start) => ({
    from: new Date(start * 1000).toISOString(),
    lines: byBin.get(start) ?? [],
  }))
}

function toShown(sums: RunSums) {
  return {
    ...toCounts(sums),
    durationMs: percentilesOf(sums.duration),
    queueMs: percentilesOf(sums.queue),
    firstTokenMs: percentilesOf(sums.firstToken),
    usage: sums.usage,
    cost: amountsOf(sums),
  }
}

function toCounts({ count, succeeded, failed, paused }: RunSums) {
  return { count, succeeded, failed, paused }
}
