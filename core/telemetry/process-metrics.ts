import { eventLoopUtilization } from 'node:perf_hooks'
import { collectDefaultMetrics } from 'prom-client'
import type { Registry } from 'prom-client'
import { defineGauge } from './metrics.ts'
import type { MetricSpec, Metrics } from './metrics.ts'

const ownMetrics = {
  loop: defineGauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Busy share of the event loop since the last scrape, 0 to 1.',
    labels: [],
    roles: ['every'],
  }),
}

/**
 * Registers the default metrics of prom-client, under the names that public dashboards query, and the utilization of the event loop. The 10
 * ms timer behind `nodejs_eventloop_lag_*` costs 4.4 ms of CPU per idle second. Its resolution is part of each value, so a coarser timer
 * would show as lag.
 */
export function followProcess(metrics: Metrics, register: Registry): void {
  collectDefaultMetrics({ register })
  const busy = metrics.gauge(ownMetrics.loop)
  let loop = eventLoopUtilization()
  metrics.beforeScrape(() => {
    const now = eventLoopUtilization()
    busy.set(eventLoopUtilization(now, loop).utilization)
    loop = now
  })
}

// Listed here instead of read from prom-client: docs/metrics.md must not depend on the operating system that generates it.
const defaults: readonly (readonly [name: string, help: string, labels?: readonly string[]])[] = [
  ['process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.'],
  ['process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.'],
  ['process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.'],
  ['process_start_time_seconds', 'Start time of the process since unix epoch in seconds.'],
  ['process_resident_memory_bytes', 'Resident memory size in bytes.'],
  ['process_virtual_memory_bytes', 'Virtual memory size in bytes.'],
  ['process_heap_bytes', 'Process heap size in bytes.'],
  ['process_open_fds', 'Number of open file descriptors.'],
  ['process_max_fds', 'Maximum number of open file descriptors.'],
  ['nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.'],
  ['nodejs_eventloop_lag_min_seconds', 'The minimum recorded event loop delay.'],
  ['nodejs_eventloop_lag_max_seconds', 'The maximum recorded event loop delay.'],
  ['nodejs_eventloop_lag_mean_seconds', 'The mean of the recorded event loop delays.'],
  ['nodejs_eventloop_lag_stddev_seconds', 'The standard deviation of the recorded event loop delays.'],
  ['nodejs_eventloop_lag_p50_seconds', 'The 50th percentile of the recorded event loop delays.'],
  ['nodejs_eventloop_lag_p90_seconds', 'The 90th percentile of the recorded event loop delays.'],
  ['nodejs_eventloop_lag_p99_seconds', 'The 99th percentile of the recorded event loop delays.'],
  [
    'nodejs_active_resources',
    'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
    ['type'],
  ],
  ['nodejs_active_resources_total', 'Total number of active resources.'],
  [
    'nodejs_active_handles',
    'Number of active libuv handles grouped by handle type. Every handle type is C++ class name.',
    ['type'],
  ],
  ['nodejs_active_handles_total', 'Total number of active handles.'],
  [
    'nodejs_active_requests',
    'Number of active libuv requests grouped by request type. Every request type is C++ class name.',
    ['type'],
  ],
  ['nodejs_active_requests_total', 'Total number of active requests.'],
  ['nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.'],
  ['nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.'],
  ['nodejs_external_memory_bytes', 'Node.js external memory size in bytes.'],
  ['nodejs_heap_space_size_total_bytes', 'Process heap space size total from Node.js in bytes.', ['space']],
  ['nodejs_heap_space_size_used_bytes', 'Process heap space size used from Node.js in bytes.', ['space']],
  ['nodejs_heap_space_size_available_bytes', 'Process heap space size available from Node.js in bytes.', ['space']],
  ['nodejs_version_info', 'Node.js version info.', ['version', 'major', 'minor', 'patch']],
  [
    'nodejs_gc_duration_seconds',
    'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    ['kind'],
  ],
]

function toDefault([name, help, labels = []]: (typeof defaults)[number]): MetricSpec {
  const text = { name, help, labels, roles: ['every'] as const }
  if (name === 'nodejs_gc_duration_seconds') return { ...text, kind: 'histogram', buckets: [0.001, 0.01, 0.1, 1, 2, 5] }
  return { ...text, kind: /^process_cpu_.*_total$/.test(name) ? 'counter' : 'gauge' }
}

/** Metrics of the process, by name; `process_virtual_memory_bytes`, `process_heap_bytes` and the `_fds` exist on Linux only. */
export const processMetrics: Readonly<Record<string, MetricSpec>> = {
  ...Object.fromEntries(defaults.map((each) => [each[0], toDefault(each)])),
  ...ownMetrics,
}
