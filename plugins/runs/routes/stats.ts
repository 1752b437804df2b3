import type { Core } from '#core/plugin/core-services.ts'
import type { AccessScope } from '#core/cluster/caller.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { RunStats, RunStatsQuery } from '#schemas/api/run-stats.ts'
import { runTenants } from '../contract/points.ts'
import type { RunsTables } from '../contract/tables.ts'
import { toFilter } from '../read/run-filter.ts'
import type { CallerRunsServices } from '../services/create-services.ts'
import { readStats } from '../stats/read-stats.ts'
import type { ReadStats } from '../stats/read-stats.ts'
import { parseWindow } from '../stats/stats-window.ts'
import { toStats } from '../stats/to-stats.ts'

/** Statistics of runs. */
export function statsEndpoint({
  store,
  core,
}: Pick<CallerRunsServices, 'store'> & { readonly core: StatsCore }): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/runs/stats',
    id: 'getRunStats',
    summary:
      'Get statistics of the runs that were created in a window: counts, percentiles of times (error at most 10 %), tokens and cost; by time and by group.',
    authz: { kind: 'review', verb: 'list', resource: 'runs', namespace: { in: 'scope', none: 'empty' } },
    query: RunStatsQuery,
    response: { 200: RunStats },
    handle: async ({ access, query }) => {
      const { groupBy, top = 10, namespace, scope } = query
      const window = parseWindow(query, core.now())
      const { since: _, until: __, ...filter } = toFilter(query)
      const read = await readStats(store.reader<RunsTables>(), { access, filter, window, groupBy, top })
      const tenants = groupBy === 'tenant' ? await tenantsOf(core, access, read) : new Map<string, string>()
      const place = { namespace: namespace || null, ...(scope === undefined ? {} : { scope }) }
      return { ...toStats(read, { groupBy, top, tenants }), ...place }
    },
  })
}

type StatsCore = Pick<Core, 'now' | 'extensions'>

async function tenantsOf(
  core: StatsCore,
  access: AccessScope<'list', 'runs'>,
  { lines }: ReadStats,
): Promise<ReadonlyMap<string, string>> {
  const namespaces = [...new Set(lines.flatMap(({ part, key }) => (part === 'group' && key !== null ? [key] : [])))]
  const [source] = core.extensions(runTenants)
  return (await source?.tenantsOf(access, namespaces)) ?? new Map()
}
