/** What made a run end: the label of `mesh_run_faults_total`. */
export type FaultCause = 'invalid_entry' | 'limit' | 'not_storable' | 'tries' | 'cancel_timeout' | 'agent_timeout'

/** The agent or its launcher sent what a run cannot go on with: the run ends as `failed`, `agent_error`. No message quotes content. */
export class AgentFault extends Error {
  override readonly name = 'AgentFault'
  readonly faultCause: FaultCause
  constructor(faultCause: FaultCause, message: string) {
    super(message)
    this.faultCause = faultCause
  }
}

/** A fault for a part of an entry or result; `field` and `requirement` are words of ours. */
export function invalid(field: string, requirement: string): AgentFault {
  return new AgentFault('invalid_entry', `The launcher sent an invalid entry: ${field} ${requirement}.`)
}
