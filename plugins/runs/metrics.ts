import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'

/** Runs and their queue. */
export const runMetrics = {
  transitions: defineCounter({
    name: 'mesh_run_transitions_total',
    help: 'Runs that entered a state, by this process; a new run enters queued without being counted.',
    labels: ['state'],
    roles: ['bff', 'worker', 'state', 'gateway'],
  }),
  queueDepth: defineGauge({
    name: 'mesh_run_queue_depth',
    help: 'Runs that wait for a worker, as each worker sees it.',
    labels: [],
    roles: ['worker'],
  }),
  queueOldest: defineGauge({
    name: 'mesh_run_queue_oldest_seconds',
    help: 'How long the oldest of them has been waiting; 0 when none is.',
    labels: [],
    roles: ['worker'],
  }),
  held: defineGauge({
    name: 'mesh_runs_held',
    help: 'Runs that some worker holds, as each worker sees it.',
    labels: [],
    roles: ['worker'],
  }),
}
