import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { ListenerDefinition } from './contract/listener.ts'
import { pluginListeners, pluginPortParts } from './listener-list.ts'
import type { LauncherPod } from './listeners/invoke/launcher-pod.ts'
import { invokeListener } from './listeners/invoke/listener.ts'

/**
 * All listeners of a launcher, in the order in which they start: the order of their ports. `invoke` is the last: the kubelet starts the agent when
 * this port responds, and every port must be bound by then.
 */
export const listenerDefinitions: readonly ListenerDefinition<LauncherPod>[] = [
  ...pluginListeners.map(withParts).toSorted((one, other) => firstPort(one) - firstPort(other)),
  invokeListener,
]

/** A listener with the parts that other plugins add to its ports. */
function withParts(definition: ListenerDefinition): ListenerDefinition {
  const ports = [definition.port].flat()
  const parts = pluginPortParts.filter(({ port }) => ports.some(({ name }) => name === port))
  if (parts.length === 0) return definition
  const routesOf = (name: string) =>
    parts.filter(({ port }) => port === name).flatMap(({ routes }) => Object.entries(routes))
  return {
    port: ports.map((port) => ({ ...port, routes: { ...port.routes, ...Object.fromEntries(routesOf(port.name)) } })),
    wanted: (settings) => definition.wanted(settings) || parts.some((part) => part.wanted(settings)),
    start: (pod) => definition.start(pod, parts),
  }
}

function firstPort({ port }: ListenerDefinition): number {
  return Math.min(...[port].flat().map(({ name }) => reservedPorts[name].port))
}
