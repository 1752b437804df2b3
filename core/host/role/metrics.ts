import { defineGauge } from '#core/telemetry/metrics.ts'

/** The process as a whole. */
export const processMetrics = {
  dependencyAvailable: defineGauge({
    name: 'mesh_dependency_available',
    help: '1 while the dependency (store, bus, cluster) answers this process, else 0.',
    labels: ['dependency'],
    roles: ['bff', 'state', 'manager', 'worker', 'gateway'],
  }),
}
