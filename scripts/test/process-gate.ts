import { cpus, freemem } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** Limits of the number of concurrent processes. */
export interface GateLimits {
  /** Admitted regardless of the load of the machine. */
  readonly least: number
  /** Never exceeded; between the two, processes are admitted while processors are idle and memory is free. */
  readonly most: number
}

/** Admits processes in the order of their requests; each leaves when it has ended. */
export interface ProcessGate {
  enter(): Promise<void>
  leave(): void
}

/** Free capacity of the machine: the share of time that processors were idle since the last call, and free memory. */
export interface MachineLoad {
  idleShare(): number
  freeBytes(): number
}

const sampleMs = 1000
// An idle quarter of two processors is enough for one more process.
const enoughIdle = 0.25
// Memory of two platforms, each with all roles, API server and agents.
const enoughMemory = 3 * 2 ** 30

/**
 * Creates a gate. Files wait for processes, leases and time limits about half of their time, but not all and not always. A fixed number leaves
 * processors idle, or makes so many processes compete that time limits are exceeded.
 */
export function createProcessGate(
  limits: GateLimits,
  load: MachineLoad = machineLoad(),
  everyMs = sampleMs,
): ProcessGate {
  const waiting: (() => void)[] = []
  let running = 0
  let isSampling = false
  const admit = (): void => {
    const next = waiting.shift()
    if (next === undefined) return
    running++
    next()
  }
  // One process per sample, since its usage is visible after a second only.
  const sample = async (): Promise<void> => {
    if (isSampling) return
    isSampling = true
    load.idleShare()
    while (waiting.length > 0) {
      await pause(everyMs, undefined, { ref: false })
      const isIdle = load.idleShare() >= enoughIdle
      if (isIdle && running < limits.most && load.freeBytes() >= enoughMemory) admit()
    }
    isSampling = false
  }
  return {
    enter: async () => {
      const admitted = new Promise<void>((resolve) => waiting.push(resolve))
      if (running < limits.least) admit()
      else if (limits.most > limits.least) void sample()
      await admitted
    },
    leave: () => {
      running--
      if (running < limits.least) admit()
    },
  }
}

function machineLoad(): MachineLoad {
  let last = processorTimes()
  const idleShare = (): number => {
    const now = processorTimes()
    const all = now.all - last.all
    const share = all > 0 ? (now.idle - last.idle) / all : 0
    last = now
    return share
  }
  return { idleShare, freeBytes: freemem }
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((one) => one.times)
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) }
}
