import type { CliInput } from '#cli/contract/command.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { readKubeconfigs, textField } from './kubeconfig-file.ts'
import { contextsOf, currentContext } from './mesh-context.ts'

/** Lists contexts, one a line: mark of the current one, name, namespace, server. */
export async function listContextsOf({
  values,
  env,
  out,
}: CliInput<{ readonly kubeconfig: string | undefined }>): Promise<number> {
  const files = readKubeconfigs(values.kubeconfig, env)
  const current = currentContext(files)
  for (const { name, namespace = 'default', api } of contextsOf(files)) {
    const cells = [name === current ? '*' : '-', name, namespace, textField(api, 'server') ?? '-']
    out(`${cells.map(toSafeText).join('\t')}\n`)
  }
  return 0
}
