import { slowSeconds } from '#core/telemetry/buckets.ts'
import { defineGauge, defineHistogram } from '#core/telemetry/metrics.ts'

/** Metrics of the task queue. The label is the type of the task. */
export const taskMetrics = {
  waiting: defineGauge({
    name: 'mesh_tasks_waiting',
    help: 'Due tasks without a worker, counted up to 10,000 per type, as observed by each worker.',
    labels: ['task'],
    roles: ['worker'],
  }),
  oldestSeconds: defineGauge({
    name: 'mesh_tasks_oldest_seconds',
    help: 'Time since the oldest waiting task was due; 0 without one.',
    labels: ['task'],
    roles: ['worker'],
  }),
  dead: defineGauge({
    name: 'mesh_tasks_dead',
    help: 'Dead tasks that are kept, counted up to 10,000 per type.',
    labels: ['task'],
    roles: ['worker'],
  }),
  running: defineGauge({
    name: 'mesh_tasks_running',
    help: 'Tasks that this process is running.',
    labels: ['task'],
    roles: ['worker'],
  }),
  attemptSeconds: defineHistogram({
    name: 'mesh_task_attempt_seconds',
    help: 'Duration of an attempt of a task, by outcome: done, failed (retried), dead, released (not counted), lost (lease).',
    labels: ['task', 'outcome'],
    roles: ['worker'],
    buckets: slowSeconds,
  }),
  delaySeconds: defineHistogram({
    name: 'mesh_task_delay_seconds',
    help: 'Time from when a task was due until an attempt began.',
    labels: ['task'],
    roles: ['worker'],
    buckets: slowSeconds,
  }),
}
