import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'

/** Runs and their queue. */
export const runMetrics = {
  transitions: defineCounter({
    name: 'mesh_run_transitions_total',
    help: 'Runs that entered a state, by this process; a new run enters queued without being counted.',
    labels: ['state'],
    roles: ['bff', 'worker', 'state', 'gateway'],
  }),
  finished: defineCounter({
    name: 'mesh_runs_finished_total',
    help: 'Runs that ended, by state and fail reason (none without one); rejected runs end in the bff.',
    labels: ['state', 'reason'],
    roles: ['bff', 'worker', 'state', 'gateway'],
  }),
  refused: defineCounter({
    name: 'mesh_run_refusals_total',
    help: 'New runs that a quota refused, by the setting that holds it.',
    labels: ['quota'],
    roles: ['bff', 'state', 'gateway'],
  }),
  faults: defineCounter({
    name: 'mesh_run_faults_total',
    help: 'Runs that a worker ended because of what their agent sent, or after too many failed attempts, by cause.',
    labels: ['cause'],
    roles: ['worker'],
  }),
  removed: defineCounter({
    name: 'mesh_runs_removed_total',
    help: 'Runs that were removed with their content, by reason (retention or namespace).',
    labels: ['reason'],
    roles: ['worker'],
  }),
  storedBytes: defineGauge({
    name: 'mesh_run_stored_bytes',
    help: 'Bytes that all runs store, as each worker reads them.',
    labels: [],
    roles: ['worker'],
  }),
  unproven: defineCounter({
    name: 'mesh_run_launchers_unproven_total',
    help: "Times that an agent's address began to be answered without proof of the agent's launcher; nothing is sent then.",
    labels: [],
    roles: ['worker'],
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
