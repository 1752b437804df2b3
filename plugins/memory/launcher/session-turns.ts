import { toStorableValue } from '#schemas/values/storable-text.ts'
import type { Turns, TurnScope } from '#launcher/contract/loop/turns.ts'
import { appendTurn, readTurns } from '#plugins/memory/contract/wire.ts'
import { valueOf } from '#launcher/contract/state/memory-calls.ts'
import type { MemoryCalls } from '#launcher/contract/state/memory-calls.ts'

/** Turns of the built-in loop in session memory. The state role knows user and conversation of the run. */
export function sessionTurns(calls: MemoryCalls): Turns {
  const at = ({ runId, span, signal }: TurnScope) => ({ runId, parent: span, signal })
  return {
    read: async (scope) => valueOf(await calls.callFor(at(scope), { name: 'memory get', path: readTurns, call: {} })),
    append: async (scope, messages) => {
      const call = { body: { messages: toStorableValue(messages) } }
      await calls.callFor(at(scope), { name: 'memory append', path: appendTurn, call })
    },
  }
}
