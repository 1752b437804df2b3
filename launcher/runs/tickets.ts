import { randomUUID } from 'node:crypto'

/** Tickets of one launcher process: a ticket permits one run to be started in this process for a limited time. */
export interface Tickets {
  issue(): string
  isValid(ticket: string): boolean
}

/**
 * Creates the tickets of this process. `validMs` must be well below the time that the launcher keeps a run: a repeat with a valid
 * ticket then finds the started run. `now` is monotonic, as are the timers that expire runs.
 */
export function createTickets(validMs: number, now: () => number = () => performance.now()): Tickets {
  const boot = randomUUID()
  return {
    issue: () => `${boot}.${Math.floor(now())}`,
    isValid(ticket) {
      const [of, at = ''] = ticket.split('.')
      const age = now() - Number(at)
      return of === boot && /^\d{1,15}$/.test(at) && age >= 0 && age <= validMs
    },
  }
}
