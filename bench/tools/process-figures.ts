import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** CPU time of a process and its descendants in microseconds, including exited children (proc_pid_stat(5)). */
export function cpuOf(pid: number): number {
  return treeOf(pid).reduce((sum, { cpu }) => sum + cpu, 0)
}

/** CPU time of one process in microseconds, with its threads and without children. */
export function ownCpuOf(pid: number): number {
  return readStat(pid)?.own ?? 0
}

/** Busy time of all cores in microseconds. */
export function machineCpu(): number {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields
  return toMicros(user + nice + system + irq + softirq + steal)
}

/** Memory of one process in megabytes: resident, and with shared pages divided among their users. */
export function memoryOf(pid: number): { readonly rss: number; readonly pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
  return { rss: megabytes('Rss'), pss: megabytes('Pss') }
}

/** Resets the peak of a process's resident memory. The result returns the growth since then in megabytes (proc_pid_clear_refs(5)). */
export function watchPeak(pid: number): () => number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  const before = read('VmRSS')
  return () => read('VmHWM') - before
}

/** Running descendants of a process, in any process group. */
export function childrenOf(pid: number): readonly number[] {
  return treeOf(pid).flatMap((one) => (one.parent === pid ? [one.pid] : []))
}

/** The command line of a process. */
export function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
}

interface Stat {
  readonly pid: number
  readonly parent: number
  readonly own: number
  readonly cpu: number
}

function treeOf(root: number): readonly Stat[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [readStat(Number(name))] : []))
  const found = all.filter((stat) => stat?.pid === root)
  // A parent may follow its child in the listing, so the list is walked until it no longer grows.
  for (const parent of found) found.push(...all.filter((stat) => stat?.parent === parent?.pid))
  return found.flatMap((stat) => stat ?? [])
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
    const own = toMicros((user ?? 0) + (system ?? 0))
    const children = toMicros((childUser ?? 0) + (childSystem ?? 0))
    return { pid, parent: Number(fields[1]), own, cpu: own + children }
  } catch {
    return undefined // exited between the listing and the read
  }
}

function toMicros(ticks: number): number {
  return (ticks * 1e6) / ticksPerSecond
}
