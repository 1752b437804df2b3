import type { Role } from '#core/config/profile.ts'
import { composeHost } from '#core/host/compose.ts'
import type { AgentLauncher } from '#core/host/contexts.ts'
import { runProcess } from '#core/host/run-process.ts'
import { plugins } from '#plugins/index.ts'

// `node role-process.ts worker ENDPOINTS_URL`: as main.ts, with agents found by the workload runner's look-up instead of Service DNS,
// which no machine without a cluster has.
const [role = 'worker', endpointsUrl = ''] = process.argv.slice(2)
const composed = await composeHost({
  roles: [role as Role],
  plugins,
  env: process.env,
  version: '0.0.0',
  agentLaunchers: async ({ namespace, name }) => {
    const answer = await fetch(`${endpointsUrl}/endpoints/${namespace}/${name}`)
    return answer.ok ? ((await answer.json()) as { launchers: AgentLauncher[] }).launchers : []
  },
})
process.exit(await runProcess(composed, [role]))
