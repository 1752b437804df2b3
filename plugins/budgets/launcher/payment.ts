import { freeCharge } from '#launcher/contract/calls/payment.ts'
import type { Charge, Hold, Payment } from '#launcher/contract/calls/payment.ts'
import type { ModelRequest } from '#launcher/contract/calls/model-request.ts'
import type { Holds } from './holds.ts'

/** Creates the payment of an agent's calls. `isHeld`: whether calls in a run are held at all. */
export function createPayment(holds: Holds, isHeld: (runId: string | undefined) => boolean): Payment {
  return {
    async open(request, runId, onLost) {
      // Counting tokens is free at the provider.
      if (request.operation === 'messages/count_tokens' || !isHeld(runId)) return freeCharge
      const hold = await holds.open(toHoldRequest(request, runId), onLost)
      return hold === undefined ? freeCharge : createCharge(holds, hold)
    },
    close: () => holds.close(),
  }
}

function toHoldRequest(
  { route: model, operation, inputTokens, maxOutputTokens, choices }: ModelRequest,
  runId: string | undefined,
) {
  const priced = operation === 'embeddings' ? operation : 'chat/completions'
  return { runId: runId ?? null, model, operation: priced, inputTokens, maxOutputTokens, choices } as const
}

function createCharge(holds: Holds, hold: Hold): Charge {
  let open: Hold | undefined = hold
  const take = (): Hold | undefined => {
    const taken = open
    open = undefined
    return taken
  }
  return {
    hold,
    async settle(settlement) {
      const taken = take()
      return taken === undefined ? undefined : holds.settle(taken, settlement)
    },
    async release() {
      const taken = take()
      if (taken !== undefined) await holds.release(taken)
    },
  }
}
