import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { ListedPrompt, PromptMove } from '#schemas/api/prompts.ts'

/** How prompts are printed. */
export const promptTable: ResourceTable<ListedPrompt> = {
  name: ({ namespace, name }) => `prompt/${namespace}/${name}`,
  columns: {
    NAMESPACE: ({ namespace }) => namespace,
    NAME: ({ name }) => name,
    VERSION: ({ version }) => version,
    LABELS: ({ labels }) => describeLabels(labels),
    TYPE: ({ type }) => type,
    BY: ({ updatedBy }) => updatedBy,
    AGE: ({ updatedAt }) => new Date(updatedAt),
    MESSAGE: ({ commitMessage }) => commitMessage,
  },
  wide: { DIGEST: ({ contentHash }) => contentHash },
}

const moveTable: ResourceTable<PromptMove> = {
  name: ({ label, to }) => `label/${label}/${to ?? 'removed'}`,
  columns: {
    LABEL: ({ label }) => label,
    FROM: ({ from }) => from,
    TO: ({ to }) => to,
    BY: ({ movedBy }) => movedBy,
    AGE: ({ movedAt }) => new Date(movedAt),
  },
}

interface NameValue {
  readonly name: string
}

/** Lists prompts. */
export async function listPrompts({
  api,
  scope,
  values: { limit, search },
  printer,
}: ApiInput<{ readonly limit: number; readonly search: string | undefined }>): Promise<number> {
  await printer.list(promptTable, await api.list<ListedPrompt>(['promptversions'], { ...scope, search }, limit))
  return 0
}

/** Shows one version of a prompt. */
export async function getPrompt({
  api,
  namespace,
  values: { name, version, label },
  printer,
}: ApiInput<
  NameValue & { readonly version: number | undefined; readonly label: string | undefined }
>): Promise<number> {
  await printer.one(
    { ...promptTable, columns: { ...promptTable.columns, TEXT: textOf } },
    await api.get<ListedPrompt>(['promptversions', namespace, name], { version, label }),
  )
  return 0
}

/** Lists the moves of labels. */
export async function listMoves({
  api,
  namespace,
  values: { name, limit },
  printer,
}: ApiInput<NameValue & { readonly limit: number }>): Promise<number> {
  await printer.list(moveTable, await api.list<PromptMove>(['promptversions', namespace, name, 'history'], {}, limit))
  return 0
}

interface ChangedField {
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
}

const changeTable: ResourceTable<ChangedField> = {
  name: ({ path }) => path.slice(1),
  columns: { FIELD: ({ path }) => path.slice(1), FROM: ({ from }) => plain(from), TO: ({ to }) => plain(to) },
}

/** Shows what differs between two versions. */
export async function diffPrompt({
  api,
  namespace,
  values: { name, from, to },
  printer,
}: ApiInput<NameValue & { readonly from: string; readonly to: string | undefined }>): Promise<number> {
  const path = ['promptversions', namespace, name, 'diff']
  const { sections } = await api.get<{ readonly sections: readonly ChangedField[] }>(path, { from, to })
  await printer.list(changeTable, { items: sections, nextCursor: null })
  return 0
}

function describeLabels(labels: ListedPrompt['labels']): string {
  const all = Object.entries(labels).map(([label, version]) => `${label}:${version}`)
  return all.join(' ')
}

function textOf({ text, messages = [] }: ListedPrompt): string {
  return text ?? messages.map(({ role, content }) => `${role}: ${content}`).join(' ')
}

function plain(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}
