import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of evaluations. */
export const evalErrors = defineErrors({
  revision_not_evaluable: { status: 409, title: 'The agent does not run the revision.' },
  tool_not_recorded: { status: 409, title: 'A case may not call the tool: its recording has no such call.' },
  not_gated: { status: 409, title: 'No gate of the agent names the suite.' },
})
