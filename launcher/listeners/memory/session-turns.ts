import { toStorableValue } from '#schemas/values/storable-text.ts'
import type { Turns, TurnScope } from '../../contract/loop/turns.ts'
import { appendTurn, readTurns } from '#plugins/memory/contract/wire.ts'
import { valueOf } from '../../memory/backend.ts'
import type { MemoryBackend } from '../../memory/backend.ts'

/** Turns of the built-in loop in session memory; undefined if it is not bound. The state role knows user and conversation of the run. */
export function sessionTurns(backend: MemoryBackend): Turns | undefined {
  if (!backend.isBound('session')) return undefined
  const at = ({ runId, span, signal }: TurnScope) => ({ runId, parent: span, signal })
  return {
    read: async (scope) =>
      valueOf(await backend.callFor('session', at(scope), { name: 'memory get', path: readTurns, call: {} })),
    append: async (scope, messages) => {
      const call = { body: { messages: toStorableValue(messages) } }
      await backend.callFor('session', at(scope), { name: 'memory append', path: appendTurn, call })
    },
  }
}
