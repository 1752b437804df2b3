import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

const name = { value: 'NAME', positional: true, required: true, help: 'name of the prompt' } as const
const { limit } = listOptions

/** `meshctl prompts list`. */
export const promptsList = defineApiCommand({
  words: 'prompts list',
  summary: 'list prompts with their latest version and labels',
  options: { ...listOptions, search: { value: 'TEXT', help: 'prompts whose name or text has this' } },
  load: async () => (await import('./show-prompts.ts')).listPrompts,
})

/** `meshctl prompts get`. */
export const promptsGet = defineApiCommand({
  words: 'prompts get',
  summary: 'show the text of a prompt: production, else the latest version',
  examples: [
    ['prompts get greet', 'the text that agents without a label use'],
    ['prompts get greet --label staging -o yaml', 'another version with all its fields'],
  ],
  options: {
    name,
    version: { value: 'N', help: 'number of a version', parse: toVersion },
    label: { value: 'LABEL', help: 'label of a version; latest is the newest one' },
  },
  load: async () => (await import('./show-prompts.ts')).getPrompt,
})

/** `meshctl prompts history`. */
export const promptsHistory = defineApiCommand({
  words: 'prompts history',
  summary: 'list the moves of the labels of a prompt, newest first',
  options: { name, limit },
  load: async () => (await import('./show-prompts.ts')).listMoves,
})

/** `meshctl prompts label`. */
export const promptsLabel = defineApiCommand({
  words: 'prompts label',
  summary: 'move a label of a prompt to a version, or remove it',
  examples: [
    ['prompts label greet production 3', 'each agent that follows the label gets version 3'],
    ['prompts label greet staging --remove', 'nothing has the label then'],
  ],
  options: {
    name,
    label: { value: 'LABEL', positional: true, required: true, help: 'label to move' },
    version: { value: 'VERSION', positional: true, help: 'number of the version', parse: toVersion },
    remove: { help: 'remove the label' },
  },
  load: async () => (await import('./change-prompts.ts')).moveLabel,
})

/** `meshctl prompts diff`. */
export const promptsDiff = defineApiCommand({
  words: 'prompts diff',
  summary: 'show what differs between two versions of a prompt',
  examples: [['prompts diff greet production latest', 'what a move of the label would change']],
  options: {
    name,
    from: { value: 'FROM', positional: true, required: true, help: 'version or label on the left' },
    to: { value: 'TO', positional: true, help: 'version or label on the right; latest by default' },
  },
  load: async () => (await import('./show-prompts.ts')).diffPrompt,
})

function toVersion(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 2_147_483_647) throw new Error('must be a number from 1')
  return Number(text)
}
