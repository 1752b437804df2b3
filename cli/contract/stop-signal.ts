import { constants } from 'node:os'

/** The signals that stop a command. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A signal that stops a command. */
export type StopSignal = (typeof stopSignals)[number]

/** Exit code of a command that a signal has stopped, as shells have it: 130 for Ctrl-C. */
export function signalCode(signal: StopSignal): number {
  return 128 + constants.signals[signal]
}
