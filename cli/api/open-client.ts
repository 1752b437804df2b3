import { findAccess } from '#cli/context/api-access.ts'
import type { ApiAccess } from '#cli/context/api-access.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { createClient } from './create-client.ts'
import type { OpenClient } from './create-client.ts'

/** Where a command without flags of a connection finds the API. */
export interface ClientSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly userAgent: string
  /** Kubeconfig of the platform that runs on this machine. The environment comes first, the user's own kubeconfig last. */
  findLocal(): Promise<string | undefined>
}

const timeoutMs = 30_000

/** Opens the API of the installation. Throws `CliProblem` if its address or the token is not known. */
export async function openClient({ env, userAgent, findLocal }: ClientSurroundings): Promise<OpenClient> {
  const isGiven = ['MESH_SERVER', 'MESH_TOKEN', 'KUBECONFIG'].some((name) => (env[name] ?? '') !== '')
  const kubeconfig = isGiven ? undefined : await findLocal()
  return createClient(accessOf(kubeconfig, env), { timeoutMs, userAgent })
}

function accessOf(kubeconfig: string | undefined, env: ClientSurroundings['env']): ApiAccess {
  try {
    return findAccess({ kubeconfig }, env)
  } catch (error) {
    if (!(error instanceof CliProblem)) throw error
    const [problem = ''] = error.message.split('\n', 1)
    throw new CliProblem(problem, 'Set MESH_SERVER and MESH_TOKEN or KUBECONFIG, or start mesh all in this folder.')
  }
}
