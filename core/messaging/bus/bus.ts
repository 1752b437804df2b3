/** One message on the wire. `id` is the event id (`Nats-Msg-Id`, deduplication). */
export interface BusMessage {
  readonly subject: string
  readonly id: string
  readonly body: Uint8Array
}

/** A delivered message. Unacknowledged ones are redelivered. */
export interface Delivery extends BusMessage {
  readonly redelivered: boolean
  ack(): void
  nak(delayMs?: number): void
}

/** Transport port: durable delivery (JetStream) and ephemeral live frames (core NATS). Both adapters pass one contract suite. */
export interface Bus {
  /** Resolves when the message is durable (PubAck). */
  publish(message: BusMessage): Promise<void>
  /** Delivers to one member of the durable consumer group. `stop` waits for handlers in progress. */
  consume(
    durable: string,
    subjects: readonly string[],
    handle: (batch: readonly Delivery[]) => Promise<void>,
  ): Promise<Subscription>
  /** Publishes without acknowledgement; never stored. */
  emit(subject: string, body: Uint8Array): void
  /** Receives live frames by subject (NATS wildcards allowed). */
  listen(subject: string, handle: (body: Uint8Array, subject: string) => void): Promise<Subscription>
  /** Throws with the reason if the transport is unreachable. */
  check(): Promise<void>
  close(): Promise<void>
}

/** A running subscription. */
export interface Subscription {
  stop(): Promise<void>
}
