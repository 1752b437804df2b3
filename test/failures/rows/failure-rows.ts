import { ampFailures } from './amp.ts'
import { collectorFailures } from './collector.ts'
import { delegateFailures } from './delegate.ts'
import { discoveryFailures } from './discovery.ts'
import type { PortFailures } from './failure.ts'
import { feedbackFailures } from './feedback.ts'
import { invokeFailures } from './invoke.ts'
import { memoryFailures } from './memory.ts'
import { modelProxyFailures } from './model-proxy.ts'

/** Every row of docs/operations/launcher-failures.md; no code of the launcher imports it. */
export const portFailures: readonly PortFailures[] = [
  delegateFailures,
  feedbackFailures,
  modelProxyFailures,
  ampFailures,
  memoryFailures,
  discoveryFailures,
  collectorFailures,
  invokeFailures,
]
