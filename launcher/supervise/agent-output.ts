import { writeSync } from 'node:fs'
import { LAUNCHER_LINE } from '#schemas/launcher/launcher-line.ts'

// Lower descriptors are the launcher's own streams, whose reader already has the line.
const firstOwn = 3

/** Adds a line to the log of the agent, if it is separate from the launcher's. Users look there first when an agent does not run. */
export function tellAgentLog(outputFd: number | undefined, line: string): void {
  if (outputFd === undefined || !(outputFd >= firstOwn)) return
  try {
    writeSync(outputFd, `${LAUNCHER_LINE}${line}\n`)
  } catch {
    // The reader of the log has ended.
  }
}
