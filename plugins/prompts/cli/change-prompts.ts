import type { ApiInput } from '#cli/contract/command.ts'
import { BadArguments } from '#core/command-line/option.ts'
import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { promptTable } from './show-prompts.ts'

interface LabelValues {
  readonly name: string
  readonly label: string
  readonly version: number | undefined
  readonly remove: boolean
}

/** Moves or removes a label. */
export async function moveLabel({ api, namespace, values, printer }: ApiInput<LabelValues>): Promise<number> {
  const { name, label, version, remove } = values
  if ((version === undefined) !== remove) throw new BadArguments('exactly one of VERSION and --remove is required')
  const path = ['promptversions', namespace, name, 'labels', label]
  await printer.one(promptTable, await api.put<ListedPrompt>(path, { version: version ?? null }))
  return 0
}
