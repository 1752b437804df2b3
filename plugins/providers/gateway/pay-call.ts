import type { Core } from '#core/plugin/core-services.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { CallHold } from './call-payment.ts'
import { agentRuns, callPayment } from '../points.ts'
import type { GatewayCall } from './gateway-call.ts'
import type { Body } from './model-request.ts'
import { readAgent } from './principal.ts'
import type { RouteTarget } from './targets.ts'
import type { UsableRoute } from './usable-route.ts'
import type { Counted } from './usage-meter.ts'

/** The payment of one call. It ends once, and never throws then: what is not ended is charged when its lease ends. */
export interface OpenPayment {
  /** Charges an answered call by its usage; without reported usage what is held. */
  settle(target: RouteTarget | undefined, usage: Counted | undefined): Promise<void>
  /** Ends the payment of a call that failed: charged at what is held if a provider may have worked, else released. */
  fail(mayHaveWorked: boolean): Promise<void>
}

type PaymentParts = Pick<Core, 'extensions' | 'log'>

/** Holds the money of a call that a role makes for a payer. Calls of others cost nothing here. Throws why the payer cannot pay. */
export async function payCall(
  core: PaymentParts,
  call: GatewayCall,
  { route, body }: { readonly route: UsableRoute; readonly body: Body },
): Promise<OpenPayment> {
  const [payment] = core.extensions(callPayment)
  const { payer, runId } = call
  if (payer === undefined || payment === undefined) return nothingHeld
  const rootAgent = await rootAgentOf(core, call)
  const hold = await payment.hold({ payer, runId, rootAgent, route, inputTokens: mostTokensOf(body) })
  return hold === undefined ? nothingHeld : endOnce(core, hold)
}

const nothingHeld: OpenPayment = { settle: async () => undefined, fail: async () => undefined }

function endOnce({ log }: PaymentParts, hold: CallHold): OpenPayment {
  let open = true
  const end = async (work: () => Promise<void>): Promise<void> => {
    if (!open) return
    open = false
    try {
      await work()
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'hold not ended; its lease charges it')
    }
  }
  return {
    settle: (target, usage) =>
      end(() => {
        if (target === undefined || usage?.usageReported !== true) return hold.settle(undefined)
        return hold.settle({ provider: `${target.namespace}/${target.name}`, model: target.model, usage })
      }),
    fail: (mayHaveWorked) => end(() => (mayHaveWorked ? hold.settle(undefined) : hold.release())),
  }
}

async function rootAgentOf(
  { extensions }: PaymentParts,
  { gateway, agentUid, runId, rootRunId }: GatewayCall,
): Promise<AgentDeploymentObject | undefined> {
  if (rootRunId === undefined || rootRunId === runId) return undefined
  const root = await extensions(agentRuns)[0]?.agentOf(rootRunId)
  if (root === undefined || root.uid === agentUid) return undefined
  const agent = await readAgent(gateway, root)
  return agent?.metadata.uid === root.uid ? agent : undefined
}

const MOST_TOKENS = 10_000_000

// One token for two bytes of JSON, twice what text has on average: as launchers estimate.
function mostTokensOf(body: Body): number {
  return Math.min(Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 2), MOST_TOKENS)
}
