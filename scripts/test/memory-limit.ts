import { readFileSync } from 'node:fs'

const everyMs = 250
const pageBytes = 4096

/**
 * Kills a process that holds more memory than a test needs, before the machine stalls. Resident memory is read from /proc: a limit of the heap would
 * miss buffers. On systems other than Linux, processes are not watched.
 */
export function limitMemory(pid: number, limitMb: number): { exceeded(): boolean; stop(): void } {
  let exceeded = false
  const timer = setInterval(() => {
    if (residentMb(pid) <= limitMb) return
    exceeded = true
    clearInterval(timer)
    process.kill(pid, 'SIGKILL')
  }, everyMs).unref()
  return { exceeded: () => exceeded, stop: () => clearInterval(timer) }
}

function residentMb(pid: number): number {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return (Number(pages) * pageBytes) / 2 ** 20
  } catch {
    return 0
  }
}
