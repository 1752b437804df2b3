import type { Static } from 'typebox'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ApiInput } from '#cli/contract/command.ts'
import { readText } from '#cli/contract/read-text.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { DatasetLabel, DatasetPin, ImportedCases } from '#schemas/api/datasets.ts'
import type { Run } from '#schemas/api/runs.ts'

type Imported = Static<typeof ImportedCases>
type Label = Static<typeof DatasetLabel>
type Pin = Static<typeof DatasetPin>
type ExportRun = Static<typeof Run>

const imported: ResourceTable<Imported> = {
  name: ({ created }) => `created/${created}`,
  columns: {
    CREATED: ({ created }) => created,
    UPDATED: ({ updated }) => updated,
    UNCHANGED: ({ unchanged }) => unchanged,
  },
}
const labels: ResourceTable<Label> = {
  name: ({ id }) => `label/${id}`,
  columns: { CASE: ({ caseId }) => caseId, NAME: ({ name }) => name, VALUE: ({ value }) => JSON.stringify(value) },
}
const pins: ResourceTable<Pin> = {
  name: ({ version }) => `pin/${version}`,
  columns: { PIN: ({ version }) => version, CASES: ({ cases }) => cases, DIGEST: ({ digest }) => digest },
}
const exports: ResourceTable<ExportRun> = {
  name: ({ id }) => `run/${id}`,
  columns: { RUN: ({ id }) => id, STATE: ({ state }) => state },
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

interface LabelValues {
  readonly dataset: string
  readonly case: string
  readonly name: string
  readonly value: string
  readonly comment: string | undefined
}

/** Labels a case. */
export async function labelCase({ api, namespace, values, printer }: ApiInput<LabelValues>): Promise<number> {
  const { dataset, case: id, name, value, comment } = values
  const body = { name, ...typed(value), ...(comment === undefined ? {} : { comment }) }
  await printer.one(labels, await api.post<Label>(['datasets', dataset, 'cases', id, 'labels'], body, { namespace }))
  return 0
}

function typed(text: string): { readonly dataType: string; readonly value: unknown } {
  if (text === 'true' || text === 'false') return { dataType: 'boolean', value: text === 'true' }
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return { dataType: 'numeric', value: Number(text) }
  return { dataType: 'categorical', value: text }
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

interface ExportValues {
  readonly dataset: string
  readonly agent: string | undefined
  readonly redact: readonly string[]
  readonly file: boolean
}

/** Starts an export of runs. */
export async function exportRuns({ api, namespace, values, printer }: ApiInput<ExportValues>): Promise<number> {
  const { dataset, agent, redact, file } = values
  const body = {
    ...(agent === undefined ? {} : { filter: { agent } }),
    ...(redact.length === 0 ? {} : { redaction: { redact } }),
    ...(file ? { format: 'ndjson' } : {}),
  }
  await printer.one(exports, await api.post<ExportRun>(['datasets', dataset, 'export'], body, { namespace }))
  return 0
}
