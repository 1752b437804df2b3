import { slowSeconds } from '#core/telemetry/buckets.ts'
import { defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** Jobs and leadership. Their label is `name`: `job` is Prometheus' own and would be renamed at the scrape. */
export const workMetrics = {
  jobSeconds: defineHistogram({
    name: 'mesh_job_seconds',
    help: 'Time of a round of a job by outcome: ok, failed.',
    labels: ['name', 'outcome'],
    roles: ['worker', 'manager'],
    buckets: slowSeconds,
  }),
  jobSuccess: defineGauge({
    name: 'mesh_job_last_success_seconds',
    help: 'Unix time of the last good round of a job.',
    labels: ['name'],
    roles: ['worker', 'manager'],
  }),
  leader: defineGauge({
    name: 'mesh_leader',
    help: '1 while this process leads the row of that name.',
    labels: ['name'],
    roles: ['worker', 'manager'],
  }),
  leaderEpoch: defineGauge({
    name: 'mesh_leader_epoch',
    help: 'Epoch of the last term of this process.',
    labels: ['name'],
    roles: ['worker', 'manager'],
  }),
}
