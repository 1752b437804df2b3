import type { CliCommand, CliInput, ContextInput } from '#cli/contract/command.ts'
import type { CliProgram } from './cli-program.ts'

interface ContextFlags {
  readonly context?: string | undefined
  readonly kubeconfig?: string | undefined
}

const timeoutMs = 30_000

/** Runs a command on the API and the cluster of a context. Throws `CliProblem` without a kubeconfig. */
export async function runInContext(program: CliProgram, command: CliCommand, input: CliInput): Promise<number> {
  const [run, { findAccess }, { createClient }, { openNamespaces }, { requireKubeconfig }] = await Promise.all([
    command.load(),
    import('#cli/context/api-access.ts'),
    import('#cli/api/create-client.ts'),
    import('#cli/context/open-namespaces.ts'),
    import('#cli/context/kubeconfig-file.ts'),
  ])
  const { context, kubeconfig } = input.values as ContextFlags
  const flags = { context, kubeconfig }
  requireKubeconfig(kubeconfig, input.env)
  const access = findAccess(flags, input.env)
  const api = createClient(access, { timeoutMs, userAgent: `${program.name}/${program.version}` })
  const namespaces = openNamespaces(flags, input.env)
  // Printed at the end: without a reader the process ends, and what the command made would stay.
  const printed: string[] = []
  const out = (text: string): void => {
    printed.push(text)
  }
  const given: ContextInput = { ...input, out, api, namespace: access.namespace, namespaces, explain: api.explain }
  try {
    const code = await run(given as never)
    program.setExitCode(code)
    for (const text of printed) program.out(text)
    return code
  } catch (error) {
    throw api.explain(error)
  } finally {
    await Promise.all([api.close(), namespaces.close()])
  }
}
