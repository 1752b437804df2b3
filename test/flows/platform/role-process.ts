import { createServiceEndpoints, endpointByService } from '#core/cluster/endpoint-slices.ts'
import type { ServiceEndpoint } from '#core/cluster/endpoint-slices.ts'
import type { Role } from '#core/config/profile.ts'
import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { locateCluster } from '#core/cluster/cluster-config.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { composeHost } from '#core/host/process/compose-process.ts'
import { runProcess } from '#core/host/process/run-process.ts'
import { plugins } from '#plugins/index.ts'

// `node role-process.ts worker ENDPOINTS_URL`: like main.ts, but with the endpoints of the local workload runner instead of Service DNS,
// which requires a cluster.
const [role = 'worker', endpointsUrl = ''] = process.argv.slice(2)
const { env } = process
const cluster = await locateCluster(readCoreSettings(openSettings({ env }), env), env)
const { server, tls } = cluster
const bearer = cluster.bearerOf(role as Role)
// As on a cluster: the status of an agent has the pods of its candidate.
const candidates =
  bearer === undefined
    ? endpointByService
    : createServiceEndpoints(createKubeClient({ server, pool: createPool(server, tls), bearer }))
const composed = await composeHost({
  roles: [role as Role],
  plugins,
  env,
  version: '0.0.0',
  cluster: {
    ...cluster,
    endpoints: async (service) => {
      if (service.candidate !== undefined) return candidates(service)
      const { namespace, name } = service
      const answer = await fetch(`${endpointsUrl}/endpoints/${namespace}/${name}`)
      return answer.ok ? ((await answer.json()) as { launchers: ServiceEndpoint[] }).launchers : []
    },
  },
})
process.exit(await runProcess(composed, [role]))
