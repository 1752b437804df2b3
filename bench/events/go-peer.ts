import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '#test/harness/find-on-path.ts'

const run = promisify(execFile)

/** Messages to publish, and their destination. */
export interface PeerWork {
  readonly url: string
  readonly subject: string
  readonly messages: number
  readonly inFlight: number
  /** Bytes per message. */
  readonly size: number
}

/** Publishes with the Go client in a separate process. Returns messages per second and microseconds of CPU per message. */
export type GoPeer = (work: PeerWork) => Promise<Record<string, number>>

/** Builds the Go client into a folder. Returns the reason if that is not possible here. */
export async function buildGoPeer(folder: string): Promise<GoPeer | string> {
  const go = findOnPath('go')
  if (go === undefined) return 'there is no `go` on PATH'
  const program = join(folder, 'peer')
  try {
    await run(go, ['build', '-buildvcs=false', '-o', program, '.'], { cwd: join(import.meta.dirname, 'peer') })
  } catch (error) {
    return `it was not built: ${error instanceof Error ? error.message.split('\n', 2).join(': ') : String(error)}`
  }
  return async ({ url, subject, messages, inFlight, size }) => {
    const args = { url, subject, messages, 'in-flight': inFlight, size }
    const flags = Object.entries(args).map(([name, value]) => `-${name}=${value}`)
    const { stdout } = await run(program, flags)
    return JSON.parse(stdout) as Record<string, number>
  }
}
