import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { ListenerDefinition } from './contract/listener.ts'
import { pluginListeners } from './listener-list.ts'
import type { LauncherPod } from './listeners/invoke/launcher-pod.ts'
import { invokeListener } from './listeners/invoke/listener.ts'
import { memoryListener } from './listeners/memory/listener.ts'
import { modelProxyListener } from './listeners/model-proxy/listener.ts'

/**
 * All listeners of a launcher, in the order in which they start: that of their ports. `invoke` is the last: the kubelet starts the agent when
 * it answers, and every port must be bound by then.
 */
export const listenerDefinitions: readonly ListenerDefinition<LauncherPod>[] = [
  ...[...pluginListeners, memoryListener, modelProxyListener].toSorted(
    (one, other) => firstPort(one) - firstPort(other),
  ),
  invokeListener,
]

function firstPort({ port }: ListenerDefinition): number {
  return Math.min(...[port].flat().map(({ name }) => reservedPorts[name].port))
}
