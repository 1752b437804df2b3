import { slowSeconds } from '#core/telemetry/buckets.ts'
import { defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** Jobs and leadership. The label is `name`: Prometheus reserves `job` and would rename it when scraping. */
export const workMetrics = {
  jobSeconds: defineHistogram({
    name: 'mesh_job_seconds',
    help: 'Duration of a job execution, by outcome: ok, failed.',
    labels: ['name', 'outcome'],
    roles: ['worker', 'manager', 'state'],
    buckets: slowSeconds,
  }),
  jobSuccess: defineGauge({
    name: 'mesh_job_last_success_seconds',
    help: 'Unix time of the last successful execution of a job.',
    labels: ['name'],
    roles: ['worker', 'manager', 'state'],
  }),
  leader: defineGauge({
    name: 'mesh_leader',
    help: '1 while this process holds the leader election lease of that name.',
    labels: ['name'],
    roles: ['worker', 'manager', 'state'],
  }),
  leaderEpoch: defineGauge({
    name: 'mesh_leader_epoch',
    help: 'Epoch of the most recent term of this process.',
    labels: ['name'],
    roles: ['worker', 'manager', 'state'],
  }),
}
