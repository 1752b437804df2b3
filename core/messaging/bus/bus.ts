/** One message as it goes over the wire. `id` is the event id (`Nats-Msg-Id`, dedup). */
export interface BusMessage {
  readonly subject: string
  readonly id: string
  readonly body: Uint8Array
}

/** A delivered message; unacknowledged ones come again. */
export interface Delivery extends BusMessage {
  readonly redelivered: boolean
  ack(): void
  nak(delayMs?: number): void
}

/** The transport port: durable delivery (JetStream) and ephemeral live frames (core NATS). Two adapters, one contract suite. */
export interface Bus {
  /** Resolves when the message is durable (PubAck). */
  publish(message: BusMessage): Promise<void>
  /** Delivers to one member of the durable consumer group; `stop` waits for handlers under way. */
  consume(
    durable: string,
    subjects: readonly string[],
    handle: (batch: readonly Delivery[]) => Promise<void>,
  ): Promise<Subscription>
  /** Fire and forget; never stored. */
  emit(subject: string, body: Uint8Array): void
  /** Live frames by subject (NATS wildcards allowed). */
  listen(subject: string, handle: (body: Uint8Array, subject: string) => void): Promise<Subscription>
  /** Throws with the reason when the transport is unreachable. */
  check(): Promise<void>
  close(): Promise<void>
}

/** A running subscription. */
export interface Subscription {
  stop(): Promise<void>
}
