import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import type { ConsumerConfig, ConsumerInfo, JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream'
import type { DurablePlan } from './durable-consumers.ts'

/** Required state of JetStream: one stream and its durable consumers. */
export interface StreamPlan {
  readonly durables: readonly DurablePlan[]
  /** Replicas in a NATS cluster. */
  readonly replicas?: number
  readonly maxAgeDays?: number
  readonly maxBytes?: number
}

/** Stream of domain events. Live frames (`mesh.live.*`) belong to no stream. */
export const streamName = 'MESH'

const nanos = 1_000_000
const ackWaitMs = 30_000

/** JetStream does not match the plan; the role `migrate` repairs it. */
export class StreamDrift extends Error {
  readonly differences: readonly string[]
  /** Objects are missing but none differs: the role `migrate` may be about to create them. */
  readonly onlyMissing: boolean
  constructor(differences: readonly string[], missing: readonly string[] = []) {
    super(`JetStream differs from the plan: ${[...missing, ...differences].join('; ')}; run the role migrate`)
    this.name = 'StreamDrift'
    this.differences = [...missing, ...differences]
    this.onlyMissing = differences.length === 0
  }
}

/** Creates missing objects and updates those that differ from the plan (O3). */
export async function ensureNatsStreams(manager: JetStreamManager, plan: StreamPlan): Promise<void> {
  const wanted = streamConfig(plan)
  const stream = await orMissing(() => manager.streams.info(streamName))
  if (stream === undefined) await manager.streams.add({ ...wanted, name: streamName })
  else if (differencesOfStream(stream, plan).length > 0) await manager.streams.update(streamName, wanted)
  for (const durable of plan.durables) await ensureDurable(manager, durable)
}

/** Creates or updates one durable consumer. */
export async function ensureDurable(manager: JetStreamManager, plan: DurablePlan): Promise<void> {
  const found = await orMissing(() => manager.consumers.info(streamName, plan.durable))
  if (found === undefined) await manager.consumers.add(streamName, durableConfig(plan))
  else if (differencesOfDurable(found, plan).length > 0) {
    await manager.consumers.update(streamName, plan.durable, { filter_subjects: [...plan.subjects] })
  }
}

/** Throws `StreamDrift` with every difference between JetStream and the plan. Every role except `migrate` checks this at startup (O3). */
export async function verifyStreams(manager: JetStreamManager, plan: StreamPlan): Promise<void> {
  const stream = await orMissing(() => manager.streams.info(streamName))
  if (stream === undefined) throw new StreamDrift([], [`the stream ${streamName} is missing`])
  const missing: string[] = []
  const differences = differencesOfStream(stream, plan)
  for (const durable of plan.durables) {
    const found = await orMissing(() => manager.consumers.info(streamName, durable.durable))
    if (found === undefined) missing.push(`the consumer ${durable.durable} is missing`)
    else differences.push(...differencesOfDurable(found, durable))
  }
  if (missing.length + differences.length > 0) throw new StreamDrift(differences, missing)
}

function streamConfig(plan: StreamPlan): Partial<StreamConfig> & { subjects: string[] } {
  return {
    subjects: ['mesh.v1.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    num_replicas: plan.replicas ?? 1,
    max_age: (plan.maxAgeDays ?? 7) * 86_400_000 * nanos,
    max_bytes: plan.maxBytes ?? 1 << 30,
    duplicate_window: 120_000 * nanos,
  }
}

function durableConfig(plan: DurablePlan): ConsumerConfig {
  return {
    durable_name: plan.durable,
    filter_subjects: [...plan.subjects],
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: ackWaitMs * nanos,
    max_ack_pending: 2_000,
    max_deliver: -1,
  } as ConsumerConfig
}

function differencesOfStream(stream: StreamInfo, plan: StreamPlan): string[] {
  const wanted = Object.entries(streamConfig(plan))
  const found: Readonly<Record<string, unknown>> = { ...stream.config }
  return wanted.flatMap(([key, value]) => (same(found[key], value) ? [] : [`stream ${streamName}: ${key}`]))
}

function differencesOfDurable(consumer: ConsumerInfo, plan: DurablePlan): string[] {
  const { filter_subject, filter_subjects, ack_policy } = consumer.config
  const filters = filter_subjects ?? (filter_subject === undefined ? [] : [filter_subject])
  const differences: string[] = []
  if (!same(filters.toSorted(), plan.subjects.toSorted())) differences.push(`consumer ${plan.durable}: filter_subjects`)
  if (ack_policy !== AckPolicy.Explicit) differences.push(`consumer ${plan.durable}: ack_policy`)
  return differences
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the result, or undefined if JetStream does not have the object (10059 stream, 10014 consumer, 10037 message not found). */
export async function orMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof JetStreamApiError && [10059, 10014, 10037].includes(error.code)) return undefined
    throw error
  }
}
