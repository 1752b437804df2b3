import type { BusMessage, Delivery } from './bus.ts'

/** How long a message may stay unacknowledged, how many wait at most, and how many go in one batch. */
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

/** The messages of one durable consumer: each goes to one member, again when it is not acknowledged in time. */
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

  /** Beyond the limit the oldest goes: the consumer's sweep finds it in the store (O7). */
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
export class MemoryMember {
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
    // A publisher is never run over by its subscriber: delivery begins in a later turn, as over a network.
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

// What a handler neither acknowledged nor refused comes again soon, not in the next turn: a failing handler must not spin.
const retryDelayMs = 50
