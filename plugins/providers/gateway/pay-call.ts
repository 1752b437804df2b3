import type { Core } from '#core/plugin/core-services.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { CallHold } from './call-payment.ts'
import { agentRuns, callPayment } from '../points.ts'
import type { GatewayCall } from './gateway-call.ts'
import { readCallBounds } from './call-bounds.ts'
import { readAgent } from './principal.ts'
import type { RouteTarget } from './targets.ts'
import type { UsableRoute } from './usable-route.ts'
import type { Counted } from './usage-meter.ts'

/** The payment of one call. It ends once, and never throws then: what is not ended is charged when its lease ends. */
export interface OpenPayment {
  /** Limit of the output that the request needs, since the hold covers no more; undefined: none, or the request has one. */
  readonly outputLimit: number | undefined
  /** Charges an answered call by its usage; without reported usage what is held. */
  settle(target: RouteTarget | undefined, usage: Counted | undefined): Promise<void>
  /** Ends the payment of a call that failed: charged at what is held if a provider may have worked, else released. */
  fail(mayHaveWorked: boolean): Promise<void>
}

type PaymentParts = Pick<Core, 'extensions' | 'log'>

type PaidModel = Parameters<typeof readCallBounds>[0] & { readonly route: UsableRoute }

/**
 * Holds the money of a call that a role makes for a payer, or that an agent makes in a run that others pay for, too. Calls of persons cost
 * nothing here. Throws why the call cannot be paid.
 */
export async function payCall(core: PaymentParts, call: GatewayCall, model: PaidModel): Promise<OpenPayment> {
  const hold = await holdFor(core, call, model)
  return hold === undefined ? nothingHeld : endOnce(core, hold, model)
}

async function holdFor(core: PaymentParts, call: GatewayCall, model: PaidModel): Promise<CallHold | undefined> {
  const [payment] = core.extensions(callPayment)
  const { payer, principal, runId, header } = call
  const { route } = model
  if (payment === undefined || (payer === undefined && principal.kind === 'person')) return undefined
  const above = await agentsAbove(core, call)
  if (payer !== undefined) {
    const { inputTokens } = readCallBounds(model)
    return payment.hold({ payer, runId, above, route, inputTokens })
  }
  if (above.length === 0 || principal.kind === 'person') return undefined
  const launcherHold = header('x-mesh-hold')
  return payment.inherit({ agent: principal.agent, launcherHold, runId, above, route, ...readCallBounds(model) })
}

const nothingHeld: OpenPayment = { outputLimit: undefined, settle: async () => undefined, fail: async () => undefined }

function endOnce({ log }: PaymentParts, hold: CallHold, model: PaidModel): OpenPayment {
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
    outputLimit: readCallBounds(model).maxOutputTokens === undefined ? hold.maxOutputTokens : undefined,
    settle: (target, usage) =>
      end(() => {
        if (target === undefined || usage?.usageReported !== true) return hold.settle(undefined)
        return hold.settle({ provider: `${target.namespace}/${target.name}`, model: target.model, usage })
      }),
    fail: (mayHaveWorked) => end(() => (mayHaveWorked ? hold.settle(undefined) : hold.release())),
  }
}

async function agentsAbove(
  { extensions }: PaymentParts,
  { gateway, agentUid, runId, rootRunId }: GatewayCall,
): Promise<readonly AgentDeploymentObject[]> {
  if (agentUid === undefined || (runId !== undefined && rootRunId === runId)) return []
  const above = (await extensions(agentRuns)[0]?.agentsAbove(agentUid, runId)) ?? []
  const read = await Promise.all(
    above.map(async (one) => {
      const agent = await readAgent(gateway, one)
      return agent?.metadata.uid === one.uid ? [agent] : []
    }),
  )
  return read.flat()
}
