import { slowSeconds } from '#core/telemetry/buckets.ts'
import { defineCounter, defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** Metrics of the event log, the relay and the consumers. */
export const eventMetrics = {
  outboxEvents: defineGauge({
    name: 'mesh_outbox_lag_events',
    help: 'Unpublished events of the relay, counted up to 10,000, as observed by each worker.',
    labels: [],
    roles: ['worker'],
  }),
  outboxSeconds: defineGauge({
    name: 'mesh_outbox_lag_seconds',
    help: 'Age of the oldest unpublished event of the relay; 0 without one.',
    labels: [],
    roles: ['worker'],
  }),
  published: defineCounter({
    name: 'mesh_relay_events_published_total',
    help: 'Events acknowledged by the bus.',
    labels: [],
    roles: ['worker'],
  }),
  relayFailures: defineCounter({
    name: 'mesh_relay_failures_total',
    help: 'Failed rounds of the relay, while the bus or the store was unavailable.',
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
    help: 'Time from the append of an event to the COMMIT of its effect.',
    labels: ['consumer'],
    roles: ['worker', 'manager'],
    buckets: slowSeconds,
  }),
  consumerLag: defineGauge({
    name: 'mesh_consumer_lag_seconds',
    help: 'Age of the oldest unprocessed event, per consumer. Sweeps run once a minute, so values up to a minute are normal.',
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
    help: 'Events moved to the dead-letter table.',
    labels: ['consumer'],
    roles: ['worker', 'manager'],
  }),
}
