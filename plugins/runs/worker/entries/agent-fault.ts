/** Cause of a run's end by its worker; label of `mesh_run_faults_total`. */
export type FaultCause = 'invalid_entry' | 'limit' | 'not_storable' | 'tries' | 'cancel_timeout' | 'agent_timeout'

/** A fault of the agent or its launcher that ends the run as `failed`, `agent_error`. Messages contain no content of the run. */
export class AgentFault extends Error {
  override readonly name = 'AgentFault'
  readonly faultCause: FaultCause
  constructor(faultCause: FaultCause, message: string) {
    super(message)
    this.faultCause = faultCause
  }
}

/** A fault for a field of an entry or result. `field` and `requirement` are constants, never data of the launcher. */
export function invalid(field: string, requirement: string): AgentFault {
  return new AgentFault('invalid_entry', `The launcher sent an invalid entry: ${field} ${requirement}.`)
}
