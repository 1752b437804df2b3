import { isApiStatus } from '#cli/contract/api-problem.ts'
import type { ApiClient } from '#cli/contract/api-client.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import { mayRefer } from '#schemas/kinds/references.ts'
import type { Reference } from '#schemas/kinds/references.ts'

/** Refuses references that cannot leave the namespace of the file. */
export function refuseBound(bound: readonly Reference[], into: string): void {
  if (bound.length === 0) return
  const lines = bound.map(
    ({ kind, namespace, name, field }) => `${kind} ${namespace}/${name} (${field}) has no allowedNamespaces`,
  )
  const [first] = bound
  throw refused(into, lines, `Remove them, or evaluate in the namespace of the file: --namespace ${first?.namespace}.`)
}

interface Requirement {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly status: 'met' | 'missing' | 'denied'
  readonly fix: string
}

/** Refuses an agent whose requirements are not met in its namespace, each by its name. */
export async function refuseUnmet(api: ApiClient, agent: object, into: string): Promise<void> {
  const { requirements } = await api.post<{ readonly requirements: readonly Requirement[] }>(
    ['agents', 'check-requirements'],
    agent,
  )
  const unmet = requirements.filter(({ status }) => status !== 'met')
  if (unmet.length === 0) return
  const lines = unmet.map(({ kind, namespace, name, status, fix }) => {
    return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} is ${status}. ${fix}`
  })
  throw refused(into, lines, 'Nothing was evaluated.')
}

/** Refuses a dataset that does not exist, or that suites of the namespace may not use. */
export async function refuseDataset(api: ApiClient, ref: EvalSuiteSpec['datasetRef'], into: string): Promise<void> {
  const { name, namespace = into } = ref
  const title = `dataset ${namespace}/${name}`
  const found = await api
    .get<{ readonly allowedNamespaces: readonly string[] | null }>(['datasets', name], { namespace })
    .catch((error: unknown) => {
      if (isApiStatus(error, 404)) throw new CliProblem(`${title} does not exist`, '--dataset names another one.')
      throw error
    })
  if (mayRefer(into, namespace, found.allowedNamespaces ?? [])) return
  throw new CliProblem(`${title} does not allow the namespace ${into}`, `Add ${into} to its allowedNamespaces.`)
}

/** Refuses a copied suite whose judge has no route in the namespace: a suite can name routes of its own namespace only. */
export async function refuseJudge(api: ApiClient, { judge }: EvalSuiteSpec, into: string): Promise<void> {
  if (judge === undefined) return
  const { name } = judge.route
  await api.get(['modelroutes', into, name]).catch((error: unknown) => {
    if (!isApiStatus(error, 404)) throw error
    const hint = `Create a route of that name in ${into}: a suite names routes of its own namespace only.`
    throw new CliProblem(`ModelRoute ${into}/${name} (spec.judge.route of the suite) does not exist`, hint)
  })
}

function refused(into: string, lines: readonly string[], hint: string): CliProblem {
  return new CliProblem(toSafeText(`the candidate cannot run in the namespace ${into}: ${lines.join('; ')}`), hint)
}
