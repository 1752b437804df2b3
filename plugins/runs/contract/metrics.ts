import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'

/** Runs and their queue. */
export const runMetrics = {
  transitions: defineCounter({
    name: 'mesh_run_transitions_total',
    help: 'State transitions of runs by this process. The creation of a run is not counted.',
    labels: ['state'],
    roles: ['bff', 'worker', 'state', 'gateway'],
  }),
  finished: defineCounter({
    name: 'mesh_runs_finished_total',
    help: 'Ended runs by state and fail reason (or none). Rejected runs are counted by the bff.',
    labels: ['state', 'reason'],
    roles: ['bff', 'worker', 'state', 'gateway'],
  }),
  refused: defineCounter({
    name: 'mesh_run_refusals_total',
    help: 'New runs refused by a quota, by the name of its setting.',
    labels: ['quota'],
    roles: ['bff', 'state', 'gateway'],
  }),
  faults: defineCounter({
    name: 'mesh_run_faults_total',
    help: 'Runs ended by a worker because of invalid or excessive data of their agent or too many failed attempts, by cause.',
    labels: ['cause'],
    roles: ['worker'],
  }),
  removed: defineCounter({
    name: 'mesh_runs_removed_total',
    help: 'Runs removed with their content, by reason (retention, namespace or erasure).',
    labels: ['reason'],
    roles: ['worker'],
  }),
  storedBytes: defineGauge({
    name: 'mesh_run_stored_bytes',
    help: 'Stored bytes of all runs, as read by each worker.',
    labels: [],
    roles: ['worker'],
  }),
  unproven: defineCounter({
    name: 'mesh_run_launchers_unproven_total',
    help: "Agent addresses that began to respond without proof of the agent's launcher. Nothing is sent to them.",
    labels: [],
    roles: ['worker'],
  }),
  queueDepth: defineGauge({
    name: 'mesh_run_queue_depth',
    help: 'Runs that wait for a worker, as read by each worker.',
    labels: [],
    roles: ['worker'],
  }),
  queueOldest: defineGauge({
    name: 'mesh_run_queue_oldest_seconds',
    help: 'Seconds that the oldest waiting run has waited; 0 without one.',
    labels: [],
    roles: ['worker'],
  }),
  held: defineGauge({
    name: 'mesh_runs_held',
    help: 'Runs held by any worker, as read by each worker.',
    labels: [],
    roles: ['worker'],
  }),
}
