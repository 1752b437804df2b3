import type { ServiceEndpoint } from '#core/cluster/endpoint-slices.ts'
import type { Role } from '#core/config/profile.ts'
import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { locateCluster } from '#core/cluster/cluster-config.ts'
import { composeHost } from '#core/host/process/compose-process.ts'
import { runProcess } from '#core/host/process/run-process.ts'
import { plugins } from '#plugins/index.ts'

// `node role-process.ts worker ENDPOINTS_URL`: like main.ts, but with the endpoints of the local workload runner instead of Service DNS,
// which requires a cluster.
const [role = 'worker', endpointsUrl = ''] = process.argv.slice(2)
const { env } = process
const cluster = await locateCluster(readCoreSettings(openSettings({ env }), env), env)
const composed = await composeHost({
  roles: [role as Role],
  plugins,
  env,
  version: '0.0.0',
  cluster: {
    ...cluster,
    endpoints: async ({ namespace, name }) => {
      const answer = await fetch(`${endpointsUrl}/endpoints/${namespace}/${name}`)
      return answer.ok ? ((await answer.json()) as { launchers: ServiceEndpoint[] }).launchers : []
    },
  },
})
process.exit(await runProcess(composed, [role]))
