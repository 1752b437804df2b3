import { ampFailures } from './amp/failures.ts'
import { collectorFailures } from './collector/failures.ts'
import { delegateFailures } from './delegate/failures.ts'
import { discoveryFailures } from './discovery/failures.ts'
import type { PortFailures } from './failure.ts'
import { feedbackFailures } from './feedback/failures.ts'
import { invokeFailures } from './invoke/failures.ts'
import { memoryFailures } from './memory/failures.ts'
import { modelProxyFailures } from './model-proxy/failures.ts'

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
