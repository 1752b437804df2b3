import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { Dataset, DatasetCase } from '#schemas/api/datasets.ts'

type ListedDataset = Static<typeof Dataset>
type ListedCase = Static<typeof DatasetCase>

const datasets: ResourceTable<ListedDataset> = {
  name: ({ namespace, name }) => `dataset/${namespace}/${name}`,
  columns: {
    NAMESPACE: ({ namespace }) => namespace,
    NAME: ({ name }) => name,
    CASES: ({ cases }) => cases,
    LABELS: ({ labels }) => labels,
    PIN: ({ latestPin }) => latestPin?.version,
    AGE: ({ createdAt }) => new Date(createdAt),
  },
  wide: { DESCRIPTION: ({ description }) => description },
}

const cases: ResourceTable<ListedCase> = {
  name: ({ id }) => `case/${id}`,
  columns: {
    ID: ({ id }) => id,
    INPUT: ({ input }) => beginningOf(input),
    LABELS: ({ labels }) => labels.map(({ name, value }) => `${name}=${beginningOf(value)}`).join(' '),
    AGE: ({ createdAt }) => new Date(createdAt),
  },
  wide: { EXPECTED: ({ expected }) => beginningOf(expected), TAGS: ({ tags }) => tags.join(',') },
}

const MOST = 60

function beginningOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text
}

/** Lists datasets. */
export async function listDatasetsOf({
  api,
  scope,
  values,
  printer,
}: ApiInput<{ readonly limit: number }>): Promise<number> {
  await printer.list(datasets, await api.list<ListedDataset>(['datasets'], { ...scope }, values.limit))
  return 0
}

interface CasesValues {
  readonly dataset: string
  readonly limit: number
  readonly tag: string | undefined
  readonly unlabelled: string | undefined
  readonly pin: string | undefined
}

/** Lists the cases of a dataset. */
export async function listCasesOf({ api, namespace, values, printer }: ApiInput<CasesValues>): Promise<number> {
  const { dataset, limit, tag, unlabelled, pin: version } = values
  const path = ['datasets', dataset, 'cases']
  await printer.list(cases, await api.list<ListedCase>(path, { namespace, tag, unlabelled, version }, limit))
  return 0
}
