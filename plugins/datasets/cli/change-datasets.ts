import type { Static } from 'typebox'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ApiInput } from '#cli/contract/command.ts'
import { readText } from '#cli/contract/read-text.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { DatasetPin, ImportedCases } from '#schemas/api/datasets.ts'

type Imported = Static<typeof ImportedCases>
type Pin = Static<typeof DatasetPin>

const imported: ResourceTable<Imported> = {
  name: ({ created }) => `created/${created}`,
  columns: {
    CREATED: ({ created }) => created,
    UPDATED: ({ updated }) => updated,
    UNCHANGED: ({ unchanged }) => unchanged,
  },
}
const pins: ResourceTable<Pin> = {
  name: ({ version }) => `pin/${version}`,
  columns: { PIN: ({ version }) => version, CASES: ({ cases }) => cases, DIGEST: ({ digest }) => digest },
}

/** Size of a JSON body. */
const MOST_BYTES = 1024 * 1024 - 64

/** Imports the lines of a file. */
export async function importInto(
  input: ApiInput<{ readonly dataset: string; readonly file: string }>,
): Promise<number> {
  const { api, namespace, values, printer } = input
  const text = await readText(input, { path: values.file, maxBytes: MOST_BYTES })
  const cases = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]))
  const path = ['datasets', values.dataset, 'cases', 'import']
  await printer.one(imported, await api.post<Imported>(path, { cases }, { namespace }))
  return 0
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new CliProblem(`line ${number}: is not valid JSON`, 'Nothing was imported.')
  }
}

/** Pins the cases of a dataset. */
export async function pinCases(
  input: ApiInput<{ readonly dataset: string; readonly note: string | undefined }>,
): Promise<number> {
  const { api, namespace, values, printer } = input
  const body = values.note === undefined ? {} : { note: values.note }
  await printer.one(pins, await api.post<Pin>(['datasets', values.dataset, 'pin'], body, { namespace }))
  return 0
}
