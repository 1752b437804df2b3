import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of calls between agents, for launchers. */
export const registryErrors = defineErrors({
  caller_not_allowed: { status: 403, title: 'The agent may not call that agent.' },
})
