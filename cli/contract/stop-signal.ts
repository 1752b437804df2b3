/** A signal that stops a command. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Exit code of a command that a signal has stopped, as shells have it: 130 for Ctrl-C. */
export function signalCode(signal: StopSignal): number {
  return signal === 'SIGINT' ? 130 : 143
}
