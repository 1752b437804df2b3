import { slowSeconds } from '#core/telemetry/buckets.ts'
import { defineCounter, defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** The log of events, the relay and the consumers. */
export const eventMetrics = {
  outboxEvents: defineGauge({
    name: 'mesh_outbox_lag_events',
    help: 'Events that the relay has not published, counted up to 10,000, as each worker sees it.',
    labels: [],
    roles: ['worker'],
  }),
  outboxSeconds: defineGauge({
    name: 'mesh_outbox_lag_seconds',
    help: 'Age of the oldest event that the relay has not published; 0 when there is none.',
    labels: [],
    roles: ['worker'],
  }),
  published: defineCounter({
    name: 'mesh_relay_events_published_total',
    help: 'Events that the bus has acknowledged.',
    labels: [],
    roles: ['worker'],
  }),
  relayFailures: defineCounter({
    name: 'mesh_relay_failures_total',
    help: 'Rounds of the relay that failed: the bus or the store was away.',
    labels: [],
    roles: ['worker'],
  }),
  handled: defineCounter({
    name: 'mesh_consumer_events_total',
    help: 'Events handled by a consumer.',
    labels: ['consumer'],
    roles: ['worker', 'manager'],
  }),
  delaySeconds: defineHistogram({
    name: 'mesh_consumer_delay_seconds',
    help: 'Time from an event to the COMMIT of its effect.',
    labels: ['consumer'],
    roles: ['worker', 'manager'],
    buckets: slowSeconds,
  }),
  consumerLag: defineGauge({
    name: 'mesh_consumer_lag_seconds',
    help: 'Age of the oldest event above the floor below which a consumer has done everything. A sweep raises the floor once a minute, so that long is normal.',
    labels: ['consumer'],
    roles: ['worker'],
  }),
  deadLetters: defineGauge({
    name: 'mesh_dead_letters',
    help: 'Events in the dead-letter table.',
    labels: ['consumer'],
    roles: ['worker'],
  }),
  died: defineCounter({
    name: 'mesh_consumer_dead_letters_total',
    help: 'Events that a consumer gave up on.',
    labels: ['consumer'],
    roles: ['worker', 'manager'],
  }),
}
