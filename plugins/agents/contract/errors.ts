import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of the agents plugin. */
export const agentErrors = defineErrors({
  invalid_agent_file: { status: 400, title: 'The agent file is not valid.' },
  generation_failed: { status: 502, title: 'The model did not produce a valid config.' },
})
