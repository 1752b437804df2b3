import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

/** `meshctl feedback list`. */
export const feedbackList = defineApiCommand({
  words: 'feedback list',
  summary: 'list scores of runs, newest first',
  examples: [['feedback list --agent hello', 'scores of one agent']],
  options: {
    ...listOptions,
    run: { value: 'RUN_ID', help: 'scores of one run' },
    agent: { value: 'NAME', help: 'scores of one agent' },
    name: { value: 'SCORE', help: 'scores of one name, such as helpful' },
  },
  load: async () => (await import('./list-feedback.ts')).listFeedback,
})
