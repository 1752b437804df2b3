import { eventLoopUtilization } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'
import { defineCounter, defineGauge } from './metrics.ts'

const gauge = (name: string, help: string) => defineGauge({ name, help, labels: [], roles: ['every'] })

/** Figures of the process, under the names that every Prometheus client uses. prom-client's own set keeps a 10 ms timer and a GC observer. */
export const processMetrics = {
  cpu: defineCounter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time of the process.',
    labels: [],
    roles: ['every'],
  }),
  resident: gauge('process_resident_memory_bytes', 'Resident memory of the process.'),
  started: gauge('process_start_time_seconds', 'Start of the process, Unix time.'),
  heap: gauge('nodejs_heap_size_used_bytes', 'Memory of JavaScript objects.'),
  external: gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.'),
  loop: gauge('nodejs_eventloop_utilization', 'Busy share of the event loop since the last scrape, 0 to 1.'),
}

/** Reads the figures at each scrape; nothing runs between scrapes. */
export function followProcess(metrics: Metrics): void {
  const cpu = metrics.counter(processMetrics.cpu)
  const resident = metrics.gauge(processMetrics.resident)
  const heap = metrics.gauge(processMetrics.heap)
  const external = metrics.gauge(processMetrics.external)
  const busy = metrics.gauge(processMetrics.loop)
  metrics.gauge(processMetrics.started).set(performance.timeOrigin / 1000)
  let spent = 0
  let loop = eventLoopUtilization()
  metrics.beforeScrape(() => {
    const { user, system } = process.cpuUsage()
    const total = (user + system) / 1e6
    cpu.inc({}, Math.max(0, total - spent))
    spent = total
    const memory = process.memoryUsage()
    resident.set(memory.rss)
    heap.set(memory.heapUsed)
    external.set(memory.external)
    const now = eventLoopUtilization()
    busy.set(eventLoopUtilization(now, loop).utilization)
    loop = now
  })
}
