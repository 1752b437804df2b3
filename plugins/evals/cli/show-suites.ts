import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'

const table: ResourceTable<EvalSuiteObject> = {
  name: ({ metadata: { namespace, name } }) => `evalsuite/${namespace}/${name}`,
  columns: {
    NAMESPACE: ({ metadata }) => metadata.namespace,
    NAME: ({ metadata }) => metadata.name,
    DATASET: ({ spec: { datasetRef: ref } }) =>
      ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`,
    'MIN SCORE': ({ spec }) => spec.minScore,
    AGENT: ({ status }) => status?.evaluation?.agent,
    REVISION: ({ status }) => status?.evaluation?.revision,
    PHASE: ({ status }) => status?.evaluation?.phase,
    SCORE: ({ status }) => status?.evaluation?.score,
  },
  wide: {
    EVALUATORS: ({ spec }) => spec.evaluators.map(({ name }) => name).join(' '),
    MODE: ({ spec }) => spec.mode ?? 'block',
  },
}

/** Lists suites. */
export async function listSuites({
  api,
  scope,
  values: { limit },
  printer,
}: ApiInput<{ readonly limit: number }>): Promise<number> {
  await printer.list(table, await api.list<EvalSuiteObject>(['evalsuites'], scope, limit))
  return 0
}

/** Shows a suite. */
export async function getSuite({
  api,
  namespace,
  values: { suite },
  printer,
}: ApiInput<{ readonly suite: string }>): Promise<number> {
  const columns = { ...table.columns, ...table.wide }
  await printer.one({ ...table, columns }, await api.get<EvalSuiteObject>(['evalsuites', namespace, suite]))
  return 0
}
