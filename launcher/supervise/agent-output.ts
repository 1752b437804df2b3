import { writeSync } from 'node:fs'
import { LAUNCHER_LINE } from '#schemas/launcher/launcher-line.ts'

// Below are the launcher's own streams: their reader has the line already.
const firstOwn = 3

/** Adds a line to the log of the agent, if that is apart from the launcher's. Who reads why an agent does not run looks there first. */
export function tellAgentLog(outputFd: number | undefined, line: string): void {
  if (outputFd === undefined || !(outputFd >= firstOwn)) return
  try {
    writeSync(outputFd, `${LAUNCHER_LINE}${line}\n`)
  } catch {
    // The reader of the log has ended.
  }
}
