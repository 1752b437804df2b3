import type { AccessScope } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { AgentBin, AgentStats, AgentStatsWindow } from '../contract/api.ts'
import type { RunsTables } from '../contract/tables.ts'
import { readSums } from '../store/sums/sums.ts'
import type { SumsLine } from '../store/sums/sums.ts'
import { fittingBin } from './bins.ts'
import { percentilesOf } from './histogram.ts'
import { ceilTo, floorTo, toPieces } from './pieces.ts'
import { addLines, amountsOf } from './add-lines.ts'

const MAX_AGENTS = 100_000
const MAX_BINS = 500

/** Statistics of the runs of each agent of the proofs' namespaces. Agents without runs are absent. */
export async function readStatsOfAgents(
  db: Reader<RunsTables>,
  access: AccessScope<'list', 'runs'>,
  { from, to, bins, agentUids }: AgentStatsWindow,
): Promise<ReadonlyMap<string, AgentStats>> {
  const [start, end] = [from.getTime() / 1000, to.getTime() / 1000]
  if (!(start < end) || !Number.isInteger(bins) || bins < 1 || bins > MAX_BINS) throw new Fail('invalid_query')
  const binSeconds = fittingBin((end - start) / bins)
  const last = ceilTo(end, binSeconds)
  const first = Math.min(last - bins * binSeconds, floorTo(start, binSeconds))
  const lines = await readSums(db, {
    source: { access, pieces: toPieces(first, last, binSeconds), subjects: false },
    filter: agentUids === undefined ? {} : { agent_uid: agentUids },
    key: 'agent_uid',
    top: MAX_AGENTS,
    binSeconds,
  })
  const starts = Array.from({ length: (last - first) / binSeconds }, (_, index) => first + index * binSeconds)
  const ofAgents = lines.filter(({ key }) => key !== null && key !== '')
  const byAgent = Map.groupBy(ofAgents, ({ key }) => key ?? '')
  return new Map([...byAgent].map(([uid, of]) => [uid, toAgentStats(of, starts)]))
}

function toAgentStats(lines: readonly SumsLine[], starts: readonly number[]): AgentStats {
  const sums = addLines(lines.filter(({ part }) => part === 'group'))
  const { p50, p95 } = percentilesOf(sums.duration)
  const byBin = Map.groupBy(
    lines.filter(({ part }) => part === 'bin of group'),
    ({ bin }) => bin ?? 0,
  )
  const [cost = null, other] = amountsOf(sums)
  return {
    runs: sums.count,
    failed: sums.failed,
    p50Ms: p50,
    p95Ms: p95,
    cost: other === undefined ? cost : null,
    tokens: sums.usage.inputTokens + sums.usage.outputTokens,
    bins: starts.map((start) => toBin(byBin.get(start) ?? [])),
  }
}

function toBin(lines: readonly SumsLine[]): AgentBin {
  const { succeeded, failed } = addLines(lines)
  return { ok: succeeded, failed }
}
