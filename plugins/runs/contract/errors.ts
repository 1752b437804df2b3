import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of the runs plugin. */
export const runErrors = defineErrors({
  agent_not_observed: { status: 503, title: 'The platform has not observed the agent yet.', retryable: true },
  prepared_run_refused: { status: 409, title: 'The prepared run cannot be queued.' },
  revision_not_running: { status: 409, title: 'The revision neither serves nor is a candidate.' },
  run_access_refused: { status: 403, title: 'The sealed access does not cover the run.' },
  delegate_not_allowed: { status: 403, title: 'The agent may not call that agent.' },
  run_not_paused: { status: 409, title: 'The run is not paused.' },
  run_content_erased: { status: 409, title: 'The content of the run was erased; give an input.' },
  run_not_of_agent: { status: 409, title: 'The run has no agent.' },
  run_terminal: { status: 409, title: 'The run has ended.' },
  call_refused: { status: 403, title: 'The agent may not make that call.' },
  cycle_detected: { status: 409, title: 'The called agent is already part of the chain of calls.' },
  depth_exceeded: { status: 409, title: 'The run exceeds the maximum depth of delegation.' },
  interrupt_ambiguous: { status: 409, title: 'Several interrupts are open; name one.' },
  quota_exceeded: { status: 429, title: 'A quota is used up.' },
})
