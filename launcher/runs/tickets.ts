import { randomUUID } from 'node:crypto'

/** Tickets of one boot of a launcher: what was issued now may begin a run for a while, here and nowhere else. */
export interface Tickets {
  issue(): string
  isValid(ticket: string): boolean
}

/**
 * Makes the tickets of this boot. `validMs` must be well below how long the launcher remembers a run: then whoever comes with a valid
 * ticket finds what was begun with it. `now` is monotonic, the clock that the memory runs by: no other clock is asked.
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
