import type { BusMessage, Delivery } from './bus.ts'

/** Acknowledgement timeout, maximum number of queued messages, and batch size. */
export interface QueueLimits {
  readonly ackWaitMs: number
  readonly maxWaiting: number
  readonly maxBatch: number
}

type Handle = (batch: readonly Delivery[]) => Promise<void>

interface Waiting {
  readonly message: BusMessage
  readonly redelivered: boolean
}

/** Messages of one durable consumer. Each is delivered to one member, and again unless acknowledged in time. */
export class MemoryQueue {
  readonly #limits: QueueLimits
  readonly #waiting: Waiting[] = []
  readonly #members: MemoryMember[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  subjects: readonly string[]

  constructor(subjects: readonly string[], limits: QueueLimits) {
    this.subjects = subjects
    this.#limits = limits
  }

  /** Drops the oldest message above the limit; the consumer's sweep finds it in the store (O7). */
  offer(message: BusMessage, redelivered = false): void {
    this.#waiting.push({ message, redelivered })
    if (this.#waiting.length > this.#limits.maxWaiting) this.#waiting.shift()
    this.#members.find((member) => member.idle)?.run()
  }

  join(handle: Handle): MemoryMember {
    const member = new MemoryMember(() => this.#take(), handle)
    this.#members.push(member)
    member.run()
    return member
  }

  async leave(member: MemoryMember): Promise<void> {
    this.#members.splice(this.#members.indexOf(member), 1)
    await member.finish()
    this.#members.find((other) => other.idle)?.run()
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#waiting.length = 0
  }

  #take(): Delivery[] {
    return this.#waiting.splice(0, this.#limits.maxBatch).map((one) => this.#deliver(one))
  }

  #deliver({ message, redelivered }: Waiting): Delivery {
    let settled = false
    const settle = (): boolean => {
      if (settled) return false
      settled = true
      clearTimeout(lost)
      this.#timers.delete(lost)
      return true
    }
    const again = (): void => {
      if (settle()) this.offer(message, true)
    }
    const lost = this.#after(this.#limits.ackWaitMs, again)
    const ack = (): void => {
      settle()
    }
    const nak = (delayMs = 0): void => {
      if (settle()) this.#after(delayMs, () => this.offer(message, true))
    }
    return { ...message, redelivered, ack, nak }
  }

  #after(delayMs: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, delayMs)
    timer.unref()
    this.#timers.add(timer)
    return timer
  }
}

/** One subscriber of a durable consumer; handles one batch at a time. */
class MemoryMember {
  readonly #take: () => Delivery[]
  readonly #handle: Handle
  #running: Promise<void> | undefined
  #stopped = false

  constructor(take: () => Delivery[], handle: Handle) {
    this.#take = take
    this.#handle = handle
  }

  get idle(): boolean {
    return this.#running === undefined && !this.#stopped
  }

  run(): void {
    if (!this.idle) return
    this.#running = this.#drain().finally(() => {
      this.#running = undefined
    })
  }

  async finish(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #drain(): Promise<void> {
    // Delivery starts in a later turn, as over a network, so that a publisher never runs its subscriber.
    await new Promise((resolve) => setImmediate(resolve))
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      await this.#handle(batch).catch(() => undefined)
      for (const message of batch) message.nak(retryDelayMs)
    }
  }

  #next(): Delivery[] {
    return this.#stopped ? [] : this.#take()
  }
}

// Redelivers unacknowledged messages after a short delay, so that a failing handler does not spin.
const retryDelayMs = 50
