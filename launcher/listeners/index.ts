import { ampListener } from './amp/listener.ts'
import { collectorListener } from './collector/listener.ts'
import { delegateListener } from './delegate/listener.ts'
import type { ListenerDefinition } from '../contract/listener.ts'
import { discoveryListener } from './discovery/listener.ts'
import { feedbackListener } from './feedback/listener.ts'
import type { LauncherPod } from './invoke/launcher-pod.ts'
import { invokeListener } from './invoke/listener.ts'
import { memoryListener } from './memory/listener.ts'
import { modelProxyListener } from './model-proxy/listener.ts'

/**
 * All listeners of a launcher, in the order in which they start. `invoke` is the last: the kubelet starts the agent when it answers, and
 * every port must be bound by then.
 */
export const listenerDefinitions: readonly ListenerDefinition<LauncherPod>[] = [
  delegateListener,
  feedbackListener,
  modelProxyListener,
  ampListener,
  memoryListener,
  discoveryListener,
  collectorListener,
  invokeListener,
]
