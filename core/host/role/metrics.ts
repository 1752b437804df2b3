import { defineGauge } from '#core/telemetry/metrics.ts'

/** Metrics of the process as a whole. */
export const readinessMetrics = {
  dependencyAvailable: defineGauge({
    name: 'mesh_dependency_available',
    help: '1 while the dependency (store, bus, cluster) responds to this process, else 0.',
    labels: ['dependency'],
    roles: ['bff', 'state', 'manager', 'worker', 'gateway'],
  }),
}
