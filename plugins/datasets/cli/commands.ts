import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

const dataset = { positional: true, required: true, value: 'DATASET', help: 'name of the dataset' } as const

/** `meshctl datasets list`. */
export const datasetsList = defineApiCommand({
  words: 'datasets list',
  summary: 'list datasets by name',
  examples: [['datasets list -A', 'datasets of every namespace that you may see']],
  options: { ...listOptions },
  load: async () => (await import('./show-datasets.ts')).listDatasetsOf,
})

/** `meshctl datasets cases`. */
export const datasetsCases = defineApiCommand({
  words: 'datasets cases',
  summary: 'list the cases of a dataset, oldest first',
  examples: [
    ['datasets cases refunds --unlabelled correct', 'cases that you have not judged'],
    ['datasets cases refunds --pin 2 -o json', 'the cases of a pin'],
  ],
  options: {
    dataset,
    limit: listOptions.limit,
    tag: { value: 'TAG', help: 'cases with one tag' },
    unlabelled: { value: 'LABEL', help: 'cases to which you have given no label of this name' },
    pin: { value: 'VERSION', help: 'cases of one pin' },
  },
  load: async () => (await import('./show-datasets.ts')).listCasesOf,
})

/** `meshctl datasets import`. */
export const datasetsImport = defineApiCommand({
  words: 'datasets import',
  summary: 'import cases from NDJSON: all lines, or none',
  examples: [['datasets import refunds cases.ndjson', 'cases of a file, at most 1 MiB']],
  options: {
    dataset,
    file: {
      positional: true,
      required: true,
      value: 'FILE',
      help: 'file with a case per line, or - for standard input',
    },
  },
  load: async () => (await import('./change-datasets.ts')).importInto,
})

/** `meshctl datasets pin`. */
export const datasetsPin = defineApiCommand({
  words: 'datasets pin',
  summary: 'pin the cases of a dataset as they are',
  examples: [['datasets pin refunds --note "before the new prompt"', 'a version that never changes']],
  options: { dataset, note: { value: 'TEXT', help: 'what the pin is for' } },
  load: async () => (await import('./change-datasets.ts')).pinCases,
})
