/** The words of the dialog that runs an agent again, in English. */
export const againText = {
  title: 'Run again with another input',
  about: 'A new run of the same agent, linked with this one. Nothing of this run changes.',
  input: 'Input',
  form: 'Form of the input',
  forms: { text: 'Text', json: 'JSON' },
  wrong: (why: string) => `The input is not JSON: ${why}`,
  start: 'Start the run',
  cancel: 'Cancel',
} as const
